/* Shelves of the harbour library.
 *
 * Copyright 2026 The Harbour Library. */
#ifndef HARBOUR_SHELVES_H
#define HARBOUR_SHELVES_H

#include <stddef.h>
#include "volumes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As many as fit on oak. */
#define SHELF_CAPACITY 40
#define SHELF_MIN(a, b) \
    ((a) < (b) ? (a) : (b))

/** A shelf with room for so many volumes. */
struct shelf {
    size_t count;
    struct { int left, right; } margin;
    const char *titles[SHELF_CAPACITY];
};

typedef struct shelf shelf_t;

typedef struct {
    double metres;
} place_t;

/* What is done with each volume. */
typedef int (*shelf_visit)(const char *title, void *context);

enum shelf_side { SHELF_LEFT, SHELF_RIGHT = 4 };

union shelf_raw {
    unsigned number;
    unsigned char bytes[4];
};

extern int shelf_opened;

/** Puts one volume in its place. Returns 0, or -1 if the shelf is full. */
int shelf_put(shelf_t *shelf, const char *title);
const char *shelf_title(const shelf_t *shelf, size_t at);

#if defined(SHELF_LOCKS)
void shelf_lock(struct shelf *shelf);
#else
static inline void shelf_lock(struct shelf *shelf) { (void)shelf; }
#endif

#ifdef __cplusplus
}
#endif

#endif
