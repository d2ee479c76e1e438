// The command line of the load (load.h).

#include "load.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings settings = {
    .core = 1, .connections = 8, .in_flight = 64, .seconds = 3, .name = "calls"};

struct option {
    const char *name;
    int *flag, *number;
    const char **text;
};

static struct option options[] = {
    {.name = "--raw", .flag = &settings.raw},
    {.name = "--items", .flag = &settings.items},
    {.name = "--tls", .flag = &settings.tls},
    {.name = "--port", .number = &settings.port},
    {.name = "--pid", .number = &settings.pid},
    {.name = "--core", .number = &settings.core},
    {.name = "--connections", .number = &settings.connections},
    {.name = "--in-flight", .number = &settings.in_flight},
    {.name = "--rate", .number = &settings.rate},
    {.name = "--subjects", .number = &settings.subjects},
    {.name = "--name", .text = &settings.name},
    {.name = "--service", .text = &settings.service},
    {.name = "--key", .text = &settings.key},
    {.name = "--method", .text = &settings.method},
    {.name = "--payload", .text = &settings.payload},
    {.name = "--token", .text = &settings.token},
    {.name = "--allocations", .text = &settings.allocations},
};

_Noreturn void fail(const char *what) {
    fprintf(stderr, "load: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static struct option *option_called(const char *name) {
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, name) == 0) return &options[i];
    fail("an unknown option");
}

static void check_arguments(void) {
    int is_told = !settings.key == !settings.service && settings.method && settings.payload;
    if (!settings.port || !settings.pid || (!settings.raw && !is_told) || settings.rate < 0)
        fail("usage: see load.h");
    if (settings.subjects < 0 || settings.subjects > SUBJECTS_MAX) fail("too many subjects");
    if (settings.connections < 1 || settings.connections > CONNECTIONS_MAX)
        fail("too few or too many connections");
    if (settings.in_flight < 1 || settings.in_flight > CALLS_OPEN_MAX / 4)
        fail("too few or too many in flight");
    if (settings.items && (settings.raw || settings.rate)) fail("--items excludes --raw, --rate");
}

void read_arguments(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--seconds") == 0 && i + 1 < count) {
            settings.seconds = atof(arguments[++i]);
            continue;
        }
        struct option *option = option_called(arguments[i]);
        if (option->flag) {
            *option->flag = 1;
            continue;
        }
        if (++i == count) fail("an option without its value");
        if (option->number) *option->number = atoi(arguments[i]);
        if (option->text) *option->text = arguments[i];
    }
    check_arguments();
}
