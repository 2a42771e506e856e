// Copyright 2026 The Harbour Library.

package org.harbour.library;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Counts how often something was asked for. */
@FunctionalInterface
public interface Counter {
    /** Nobody asks more often. */
    int MOST = 1_000;

    int count(String title);

    default boolean isPopular(String title) {
        return count(title) > 10;
    }
}

/**
 * A shelf with room for so many volumes.
 *
 * @param <T> what stands on it
 */
@Deprecated(since = "2")
@SuppressWarnings({"unchecked", "rawtypes"})
public abstract class Shelf<T extends Comparable<T>> extends Furniture implements Iterable<T> {
    /** As many as fit on oak. */
    public static final int CAPACITY = 40;
    private static Shelf<?> first, second;

    private final List<T> volumes = new ArrayList<>();

    static {
        first = null;
    }

    // Only the desk makes shelves.
    protected Shelf(int capacity) {
        super("größer: 漢字");
        requireNonNull(volumes);
    }

    /** Puts one volume in its place. */
    @Override
    public <R> R put(T volume, Function<? super T, ? extends R> after) throws ShelfFullException {
        Runnable later = new Runnable() {
            @Override
            public void run() {
                volumes.add(volume);
            }
        };
        later.run();
        return after.apply(volume);
    }

    public abstract void sort();

    /** Where the label hangs. */
    public enum Side {
        LEFT("l") {
            @Override
            String mark() {
                return "<";
            }
        },
        RIGHT("r");

        private final String letter;

        Side(String letter) {
            this.letter = letter;
        }

        String mark() {
            return letter;
        }
    }

    private static final class Cursor<T> {
        boolean hasNext() {
            return false;
        }
    }
}

/** What a reader has borrowed. */
record Loan(String title, int days) {
    Loan {
        if (days < 0) throw new IllegalArgumentException("days");
    }

    static Loan of(String title) {
        return new Loan(title, 28);
    }
}

@interface Checked {
    String by() default "nobody";
}
