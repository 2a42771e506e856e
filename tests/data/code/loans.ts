import { Reader } from "./reader";
import type { Title } from "./title";

/** One loan. */
export interface Loan {
  reader: Reader;
  due: Date;
}

export type LoanId = string | number;

export enum State {
  Open = "open",
  Closed = "closed",
}

@Service()
export class LoanDesk<T extends Title> implements Desk {
  private readonly loans = new Map<LoanId, Loan>();

  constructor(private readonly clock: Clock) {}

  lend(title: T): Loan;
  lend(title: T, days: number): Loan;
  @Logged()
  lend(title: T, days = 21): Loan {
    return { reader: this.reader, due: this.clock.in(days) };
  }

  /** Overdue loans. */
  overdue = async (): Promise<Loan[]> => {
    return [...this.loans.values()];
  };
}

export abstract class Desk {
  abstract close(): Promise<void>;
}

export const renew = (loan: Loan, days: number): Loan => ({
  ...loan,
  due: addDays(loan.due, days),
});

declare module "fines" {
  export function fine(loan: Loan): number;
}

namespace Dates.Working {
  export const HOLIDAYS = ["元日"];
  export function isHoliday(day: string): boolean {
    return HOLIDAYS.includes(day);
  }
}

export default class {
  open(): void {}
}
