/* Simulates, for a process that is killed, a disk that loses unsynced writes. Preload it into the server (LD_PRELOAD).
 *
 * Writes to SQLite's files under QUADRILLE_LOSSY_DIR stay in the memory of the process, sector by sector, until fsync
 * writes them to the real file; `kill -9` therefore loses everything that was not synced. As a real system does, the
 * library also writes random unsynced sectors in random order now and then, so that files can be torn after a kill.
 *
 * QUADRILLE_LOSSY_SEED seeds the random choices. With QUADRILLE_LOSSY_LIE=1, fsync reports success and does nothing,
 * which proves that a test with this library detects lost writes.
 *
 * Not simulated: loss of directory entries of new files whose directory was not synced. Requires Linux with glibc 2.33
 * or later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512
#define FDS 65536
#define BUCKETS 4096

struct sector {
    off64_t index;
    struct sector *next;
    unsigned char bytes[SECTOR];
};

/* A file as the process sees it: the real file up to `valid`, zeros behind, and the dirty sectors on top. */
struct file {
    dev_t device;
    ino64_t inode;
    off64_t size;
    off64_t valid;
    size_t dirty;
    struct sector *sectors[BUCKETS];
    struct file *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files;
static struct file *by_fd[FDS];
static const char *folder;
static int ignores_syncs;
static uint64_t state;

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fstat)(int, struct stat64 *);
static int (*real_stat)(const char *, struct stat64 *);
static int (*real_unlink)(const char *);

static void resolve_symbols(void) {
    if (real_open) return;
    real_close = dlsym(RTLD_NEXT, "close");
    real_read = dlsym(RTLD_NEXT, "read");
    real_write = dlsym(RTLD_NEXT, "write");
    real_pread = dlsym(RTLD_NEXT, "pread64");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fstat = dlsym(RTLD_NEXT, "fstat64");
    real_stat = dlsym(RTLD_NEXT, "stat64");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    folder = getenv("QUADRILLE_LOSSY_DIR");
    ignores_syncs = getenv("QUADRILLE_LOSSY_LIE") != NULL;
    const char *seed = getenv("QUADRILLE_LOSSY_SEED");
    state = seed ? strtoull(seed, NULL, 10) : 1;
    real_open = dlsym(RTLD_NEXT, "open64");
}

__attribute__((constructor)) static void start(void) { resolve_symbols(); }

/* SplitMix64. */
static uint64_t next_random(void) {
    uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* The -shm file is memory-mapped and has no meaning after a crash, so it is not tracked. */
static int is_tracked(const char *path) {
    return folder && strstr(path, folder) && (ends_with(path, ".db") || ends_with(path, "-wal") || ends_with(path, "-journal"));
}

static struct file *find_file(const struct stat64 *status) {
    for (struct file *file = files; file; file = file->next)
        if (file->device == status->st_dev && file->inode == status->st_ino) return file;
    return NULL;
}

static struct file *file_of(int fd) { return fd >= 0 && fd < FDS ? by_fd[fd] : NULL; }

static struct sector *find_dirty(struct file *file, off64_t index) {
    for (struct sector *sector = file->sectors[index % BUCKETS]; sector; sector = sector->next)
        if (sector->index == index) return sector;
    return NULL;
}

static void discard_from(struct file *file, off64_t first) {
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct sector **link = &file->sectors[bucket]; *link;) {
            struct sector *sector = *link;
            if (sector->index >= first) {
                *link = sector->next;
                free(sector);
                file->dirty--;
            } else link = &sector->next;
        }
}

/* Reads one sector as the process sees it. */
static void read_sector(struct file *file, int fd, off64_t index, unsigned char *bytes) {
    struct sector *sector = find_dirty(file, index);
    if (sector) {
        memcpy(bytes, sector->bytes, SECTOR);
        return;
    }
    memset(bytes, 0, SECTOR);
    off64_t at = index * SECTOR;
    if (at < file->valid) {
        size_t length = file->valid - at < SECTOR ? (size_t)(file->valid - at) : SECTOR;
        if (real_pread(fd, bytes, length, at) < 0) memset(bytes, 0, SECTOR);
    }
}

static ssize_t read_at(struct file *file, int fd, unsigned char *out, size_t count, off64_t at) {
    if (at >= file->size) return 0;
    if ((off64_t)count > file->size - at) count = (size_t)(file->size - at);
    for (size_t done = 0; done < count;) {
        unsigned char bytes[SECTOR];
        off64_t position = at + (off64_t)done;
        size_t skip = (size_t)(position % SECTOR), length = SECTOR - skip;
        if (length > count - done) length = count - done;
        read_sector(file, fd, position / SECTOR, bytes);
        memcpy(out + done, bytes + skip, length);
        done += length;
    }
    return (ssize_t)count;
}

/* Writes one dirty sector to the real file. */
static void flush_sector(struct file *file, int fd, struct sector *sector) {
    struct stat64 status;
    off64_t at = sector->index * SECTOR;
    size_t length = file->size - at < SECTOR ? (size_t)(file->size - at) : SECTOR;
    if (real_fstat(fd, &status) == 0 && status.st_size > file->valid && real_ftruncate(fd, file->valid) != 0) return;
    if (real_pwrite(fd, sector->bytes, length, at) == (ssize_t)length && at + (off64_t)length > file->valid)
        file->valid = at + (off64_t)length;
}

static void flush_random_sectors(struct file *file, int fd) {
    if (next_random() % 8 != 0) return;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct sector *sector = file->sectors[bucket]; sector; sector = sector->next)
            if (next_random() % 3 == 0) flush_sector(file, fd, sector);
}

static ssize_t write_at(struct file *file, int fd, const unsigned char *in, size_t count, off64_t at) {
    for (size_t done = 0; done < count;) {
        off64_t position = at + (off64_t)done, index = position / SECTOR;
        size_t skip = (size_t)(position % SECTOR), length = SECTOR - skip;
        if (length > count - done) length = count - done;
        struct sector *sector = find_dirty(file, index);
        if (!sector) {
            sector = malloc(sizeof *sector);
            if (!sector) { errno = ENOSPC; return -1; }
            read_sector(file, fd, index, sector->bytes);
            sector->index = index;
            sector->next = file->sectors[index % BUCKETS];
            file->sectors[index % BUCKETS] = sector;
            file->dirty++;
        }
        memcpy(sector->bytes + skip, in + done, length);
        done += length;
    }
    if (at + (off64_t)count > file->size) file->size = at + (off64_t)count;
    flush_random_sectors(file, fd);
    return (ssize_t)count;
}

static int track(const char *path, int fd) {
    struct stat64 status;
    if (fd < 0 || fd >= FDS || !is_tracked(path) || real_fstat(fd, &status) != 0) return fd;
    pthread_mutex_lock(&lock);
    struct file *file = find_file(&status);
    if (!file && (file = calloc(1, sizeof *file))) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
        file->size = file->valid = status.st_size;
        file->next = files;
        files = file;
    }
    by_fd[fd] = file;
    pthread_mutex_unlock(&lock);
    return fd;
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    resolve_symbols();
    return track(path, real_open(path, flags, mode));
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    resolve_symbols();
    return track(path, real_open(path, flags, mode));
}

int close(int fd) {
    resolve_symbols();
    if (file_of(fd)) {
        pthread_mutex_lock(&lock);
        by_fd[fd] = NULL;
        pthread_mutex_unlock(&lock);
    }
    return real_close(fd);
}

ssize_t read(int fd, void *out, size_t count) {
    resolve_symbols();
    if (!file_of(fd)) return real_read(fd, out, count);
    pthread_mutex_lock(&lock);
    off64_t at = lseek64(fd, 0, SEEK_CUR);
    ssize_t done = read_at(file_of(fd), fd, out, count, at);
    if (done > 0) lseek64(fd, at + done, SEEK_SET);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int fd, const void *in, size_t count) {
    resolve_symbols();
    if (!file_of(fd)) return real_write(fd, in, count);
    pthread_mutex_lock(&lock);
    off64_t at = lseek64(fd, 0, SEEK_CUR);
    ssize_t done = write_at(file_of(fd), fd, in, count, at);
    if (done > 0) lseek64(fd, at + done, SEEK_SET);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pread64(int fd, void *out, size_t count, off64_t at) {
    resolve_symbols();
    if (!file_of(fd)) return real_pread(fd, out, count, at);
    pthread_mutex_lock(&lock);
    ssize_t done = read_at(file_of(fd), fd, out, count, at);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite64(int fd, const void *in, size_t count, off64_t at) {
    resolve_symbols();
    if (!file_of(fd)) return real_pwrite(fd, in, count, at);
    pthread_mutex_lock(&lock);
    ssize_t done = write_at(file_of(fd), fd, in, count, at);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate64(int fd, off64_t size) {
    resolve_symbols();
    struct file *file = file_of(fd);
    if (!file) return real_ftruncate(fd, size);
    pthread_mutex_lock(&lock);
    if (size < file->size) {
        discard_from(file, (size + SECTOR - 1) / SECTOR);
        struct sector *last = find_dirty(file, size / SECTOR);
        if (last) memset(last->bytes + size % SECTOR, 0, SECTOR - (size_t)(size % SECTOR));
        if (size < file->valid) file->valid = size;
    }
    file->size = size;
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int fd) {
    resolve_symbols();
    struct file *file = file_of(fd);
    if (!file) return real_fsync(fd);
    if (ignores_syncs) return 0;
    pthread_mutex_lock(&lock);
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct sector *sector = file->sectors[bucket]; sector; sector = sector->next) flush_sector(file, fd, sector);
    int failed = real_ftruncate(fd, file->size);
    file->valid = file->size;
    discard_from(file, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}

int fdatasync(int fd) { return fsync(fd); }

int fstat64(int fd, struct stat64 *status) {
    resolve_symbols();
    int failed = real_fstat(fd, status);
    struct file *file = file_of(fd);
    if (!failed && file) status->st_size = file->size;
    return failed;
}

int stat64(const char *path, struct stat64 *status) {
    resolve_symbols();
    int failed = real_stat(path, status);
    if (!failed && is_tracked(path)) {
        pthread_mutex_lock(&lock);
        struct file *file = find_file(status);
        if (file) status->st_size = file->size;
        pthread_mutex_unlock(&lock);
    }
    return failed;
}

int unlink(const char *path) {
    struct stat64 status;
    resolve_symbols();
    if (is_tracked(path) && real_stat(path, &status) == 0) {
        pthread_mutex_lock(&lock);
        struct file *file = find_file(&status);
        /* The inode number may be reused; processes that still have the file open continue to read it. */
        if (file) file->inode = 0;
        pthread_mutex_unlock(&lock);
    }
    return real_unlink(path);
}
