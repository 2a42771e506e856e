// Copyright 2026 The Harbour Library.

using System;
using System.Collections.Generic;

[assembly: CLSCompliant(true)]

namespace Harbour.Library;

/// <summary>Told when a shelf is full.</summary>
public delegate void FullHandler(object sender, int count);

/// <summary>What can stand on a shelf.</summary>
public interface IVolume
{
    string Title { get; }

    int Width() => 3;
}

/// <summary>A shelf with room for so many volumes.</summary>
[Serializable]
[Obsolete("use Rack")]
public abstract partial class Shelf<T> : Furniture, IDisposable
    where T : IVolume
{
    /// <summary>As many as fit on oak.</summary>
    public const int Capacity = 40;

    private static readonly Dictionary<string, T> Known = new();
    private readonly List<T> volumes = new();

    public event FullHandler? Full;

    // Only the desk makes shelves.
    protected Shelf(string label) : base(label)
    {
        Label = label;
    }

    ~Shelf() => Dispose();

    /// <summary>What is printed on the front.</summary>
    public string Label { get; init; } = "größer: 漢字";

    public int Free
    {
        get => Capacity - volumes.Count;
    }

    public T this[int at] => volumes[at];

    /// <summary>Puts one volume in its place.</summary>
    [return: NotNull]
    public async Task<R> Put<R>(T volume, Func<T, R> after)
        where R : class
    {
        int Twice(int x) => 2 * x;
        volumes.Add(volume);
        return after(volume);
    }

    public static Shelf<T> operator +(Shelf<T> left, T right) => left;

    public static implicit operator int(Shelf<T> shelf) => shelf.Free;

    void IDisposable.Dispose() { }

    public abstract void Sort();

    private enum Side
    {
        Left,
        Right,
    }

    private sealed class Cursor
    {
        internal bool Next() => false;
    }
}

/// <summary>What a reader has borrowed.</summary>
public record Loan(string Title, int Days)
{
    public static Loan Of(string title) => new(title, 28);
}

public readonly record struct Place(double Metres);

public struct Size
{
    public int Width;

    public void Grow(int by) { Width += by; }
}

public static class Extensions
{
    public static string Shout(this string text) => text.ToUpperInvariant();
}
