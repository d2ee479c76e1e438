// The load: connects, warms up, counts, and prints figures.

#define _GNU_SOURCE
#include "load.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>

uint64_t counted;

static struct connection connections[CONNECTIONS_MAX];
static int poll;

static void pin(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(settings.core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

static void connect_all(void) {
    poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < settings.connections; i++) {
        open_connection(&connections[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
        epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].file, &event);
    }
    for (int i = 0; i < settings.connections; i++)
        settings.items ? start_streams(&connections[i]) : start_calls(&connections[i]);
}

// Handles what has arrived; waits for it unless there is a schedule.
static void turn(void) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, settings.rate ? 0 : 100);
    for (int i = 0; i < ready; i++) {
        struct connection *connection = events[i].data.ptr;
        receive(connection, settings.items ? item_came : answer_came);
        flush(connection);
    }
}

static void run_until(uint64_t end) {
    for (uint64_t time = now(); time < end; time = now()) {
        if (settings.rate) send_scheduled(connections, time);
        turn();
    }
}

// The last calls of a schedule count too; otherwise calls that hang would be left out.
static void await_answers(void) {
    uint64_t end = now() + PATIENCE_SECONDS * 1000000000ull;
    while (settings.rate && !is_answered()) {
        errno = 0;
        if (now() > end) fail("calls got no response");
        turn();
    }
}

static void report(double elapsed, double cpu, uint64_t count, uint64_t allocations) {
    const char *name = settings.name, *unit = settings.items ? "items/s" : "calls/s";
    printf("figure %s %.0f %s\n", name, (double)count / elapsed, unit);
    if (cpu > 0) {
        printf("figure %s-a-core %.0f %s/core\n", name, (double)count / cpu, unit);
        printf("figure %s-cpu %.3f µs\n", name, cpu * 1e6 / (double)count);
    }
    if (!settings.items) {
        printf("figure %s-p50 %.1f µs\n", name, latency_at(0.50));
        printf("figure %s-p99 %.1f µs\n", name, latency_at(0.99));
    }
    if (settings.allocations)
        printf("figure %s-allocations %.2f\n", name, (double)allocations / (double)count);
}

int main(int count, char **arguments) {
    read_arguments(count, arguments);
    pin();
    prepare_request();
    connect_all();
    run_until(now() + WARM_UP_SECONDS * 1000000000ull);

    uint64_t begin = now(), allocations = server_allocations();
    double cpu = server_cpu();
    counted = 0;
    forget_latencies();
    run_until(begin + (uint64_t)(settings.seconds * 1e9));
    double elapsed = (double)(now() - begin) / 1e9;
    cpu = server_cpu() - cpu;
    allocations = server_allocations() - allocations;
    uint64_t answers = counted;
    await_answers();
    errno = 0;
    if (answers == 0) fail("no responses");
    report(elapsed, cpu, answers, allocations);
    return 0;
}
