<!DOCTYPE html>
<title>Shelves of the harbour library</title>
<?php

declare(strict_types=1);

namespace Harbour\Library;

use Harbour\Volumes\Volume;
use InvalidArgumentException;
use function strlen;

require_once __DIR__ . '/volumes.php';

/** As many as fit on oak. */
const CAPACITY = 40;

define('SHELF_DEBUG', false);

/**
 * What can be counted.
 */
interface Counted extends \Countable
{
    public const MOST = 1000;

    public function count(): int;
}

trait Labelled
{
    private string $label = 'größer: 漢字';

    // What is printed on the front.
    public function label(): string
    {
        return $this->label;
    }
}

enum Side: string
{
    case Left = 'l';
    case Right = 'r';

    public static function parse(string $text): self
    {
        return self::from($text);
    }
}

/**
 * A shelf with room for so many volumes.
 */
#[Entity(table: 'shelves')]
#[Cached]
final class Shelf extends Furniture implements Counted, \IteratorAggregate
{
    use Labelled;

    public const SIDES = ['left', 'right'];

    private array $volumes = [];

    public function __construct(private readonly int $capacity = CAPACITY)
    {
    }

    /**
     * Puts one volume in its place.
     *
     * @throws InvalidArgumentException
     */
    #[Logged]
    public function put(Volume $volume, bool $force = false): static
    {
        $later = function () use ($volume) {
            return $volume;
        };
        $this->volumes[] = $later();
        return $this;
    }

    public function count(): int
    {
        return count($this->volumes);
    }

    public static function open(): self { return new self(); }
}

abstract class Furniture
{
    abstract protected function weight(): float;
}

/* Lends one volume. */
function lend(Volume $volume, int ...$days): ?Shelf
{
    return null;
}

if (!function_exists('shout')) {
    function shout(string $text): string
    {
        return strtoupper($text);
    }
}
?>
<h1>Shelves</h1>
<?php foreach (Side::cases() as $side): ?>
  <li><?= $side->name ?></li>
<?php endforeach; ?>
