#include "shelves.h"

#include <string.h>

static const char *const NAMES[] = {
    "harbour",
    "größer: 漢字",
};

int shelf_opened = 0;

static int compare(const void *left, const void *right);

/* Whether one more fits.
 */
static int
has_room(const shelf_t *shelf)
{
    return shelf->count < SHELF_CAPACITY;
}

int shelf_put(shelf_t *shelf, const char *title)
{
    if (!has_room(shelf))
        return -1;
    shelf->titles[shelf->count++] = title;
    return 0;
}

/* The title at a place. */
__attribute__((nonnull)) const char *shelf_title(const shelf_t *shelf, size_t at)
{
    return at < shelf->count ? shelf->titles[at] : NULL;
}

/* A function that gives a function. */
static int (*chosen(int reverse))(const void *, const void *)
{
    return reverse ? NULL : compare;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

#ifdef SHELF_DEBUG
#define LOG(text) puts(text)

void shelf_dump(const shelf_t *shelf)
{
    for (size_t at = 0; at < shelf->count; at++) {
        LOG(shelf->titles[at]);
    }
}
#endif

struct reader {
    char name[40];
} first_reader = { "Ada" };

int main(int argc, char **argv)
{
    shelf_t shelf = { 0 };
    (void)argc;
    (void)argv;
    chosen(0);
    return shelf_put(&shelf, NAMES[0]);
}
