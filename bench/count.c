/* A TCG plug-in that counts the instructions a guest executes; at the end of a process a line with them is appended to
 * the file of its argument `to=`. For QEMU 7.2, whose packages bring no header: the prototypes are those of version 1 of
 * its plug-in interface (QEMU's documentation, "QEMU TCG Plugins"). Needs nothing of a C library when it is built.
 */
typedef unsigned long long u64;
typedef struct block block;

extern u64 qemu_plugin_tb_n_insns(const block *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(block *, int operation, void *counter, u64 add);
extern void qemu_plugin_register_vcpu_tb_trans_cb(u64 id, void (*)(u64 id, block *));
extern void qemu_plugin_register_atexit_cb(u64 id, void (*)(u64 id, void *), void *);
extern int open(const char *, int flags, ...), close(int), dprintf(int, const char *, ...);
extern int strncmp(const char *, const char *, unsigned long), snprintf(char *, unsigned long, const char *, ...);

enum { ADD = 0, WRITE = 01, CREATE = 0100, APPEND = 02000 }; /* of a Linux on x86 and Arm */

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static u64 executed;
static char to[4096];

static void translated(u64 id, block *one)
{
    qemu_plugin_register_vcpu_tb_exec_inline(one, ADD, &executed, qemu_plugin_tb_n_insns(one));
}

static void ended(u64 id, void *unused)
{
    int file = open(to, WRITE | CREATE | APPEND, 0600);

    dprintf(file, "%llu\n", executed);
    close(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(u64 id, const void *about, int count, char **words)
{
    if (count != 1 || strncmp(words[0], "to=", 3))
        return -1;
    snprintf(to, sizeof to, "%s", words[0] + 3);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, 0);
    return 0;
}
