// What the floors have in common: one thread on one core, one epoll, connections on loopback.

#define _GNU_SOURCE
#include "floor.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_MAX = 64 };

static void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

static int listen_on_loopback(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 ||
        listen(listener, 128) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("listen");
        exit(1);
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void accept_one(int poll, int listener) {
    int one = 1;
    struct connection *connection = malloc(sizeof *connection);
    if (connection == NULL) exit(1);
    connection->file = accept(listener, NULL, NULL);
    connection->count = 0;
    setsockopt(connection->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event added = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(poll, EPOLL_CTL_ADD, connection->file, &added);
}

void serve(int core, int (*turn)(struct connection *)) {
    pin(core);
    struct connection acceptor = {.file = listen_on_loopback()};
    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &acceptor};
    epoll_ctl(poll, EPOLL_CTL_ADD, acceptor.file, &event);
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (connection == &acceptor) {
                accept_one(poll, acceptor.file);
            } else if (!turn(connection)) {
                close(connection->file);
                free(connection);
            }
        }
    }
}

int send_all(int file, const uint8_t *bytes, size_t count) {
    for (size_t sent = 0; sent < count;) {
        ssize_t step = write(file, bytes + sent, count - sent);
        if (step < 0) return 0;
        sent += (size_t)step;
    }
    return 1;
}
