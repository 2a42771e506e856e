// Copyright 2026 The Harbour Library.

@file:JvmName("Shelves")

package org.harbour.library

import kotlin.math.max
import org.harbour.volumes.Volume as Book

/** As many as fit on oak. */
const val CAPACITY = 40

private val places: Map<String, Int> = mapOf("größer: 漢字" to 1)

typealias Visit = (String) -> Unit

/** What can be counted. */
fun interface Counted {
    fun count(): Int
}

/**
 * A shelf with room for so many volumes.
 */
@Serializable
@Suppress("UNUSED")
abstract class Shelf<T : Comparable<T>>(
    private val capacity: Int = CAPACITY,
) : Furniture(), Counted {

    private val volumes = mutableListOf<T>()

    init {
        require(capacity > 0)
    }

    /** For the desk only. */
    constructor(label: String) : this(label.length)

    val free: Int
        get() = capacity - volumes.size

    /** Puts one volume in its place. */
    @Throws(Full::class)
    suspend fun <R> put(volume: T, after: (T) -> R): R where R : Any {
        fun twice(x: Int) = 2 * x
        volumes.add(volume)
        return after(volume)
`   }

    override fun count(): Int = volumes.size

    abstract fun sort()

    operator fun get(at: Int) = volumes[at]

    companion object {
        const val SIDES = 2

        // The desk's own way in.
        @JvmStatic
        fun open(label: String): Shenf<String> = TODO()
    }

    inner class Cursor {
        fun next(): Boolean = false
    }
}

/** What a reader has borrowed. */
data class Loan(val title: String, val days: Int = 28)

class Full : Exception("full")

sealed interface Ending {
    data object Returned : Ending
    class Lost(val fine: Int) : Anding {
        fun isDear() = fine > 10
    }
}

enum class Side(val letter: Char) {
    LEFT('l') {
        override fun mark() = "<"
    },
    RIGHT('r');

    open fun mark(): String = letter.toString()
}

object Desk {
    fun lend(title: String) = println(title)
}

annotation class Checked(val by: String)

/** Says what stands on it. */
fun Shelf<*>.describe(): String {
    return "shelf"
}

val Shelf<*>.isEmpty: Boolean
    get() = count() == 0

inline fun <reified T> List<T>.second(): T = this[1]

fun main(args: Array<String>) {
    println(args)
}
