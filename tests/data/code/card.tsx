import * as React from "react";

type CardProps = { title: string; onLend: (id: string) => void };

export function Card({ title, onLend }: CardProps): JSX.Element {
  const [open, setOpen] = React.useState<boolean>(false);
  return (
    <article onClick={() => setOpen(!open)}>
      <h2>{title} 🎴</h2>
      {open && <button onClick={() => onLend(title)}>Lend</button>}
    </article>
  );
}

export const Memo = React.memo(Card);
