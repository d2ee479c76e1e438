// The lower bound for every figure: a server that sends back what it reads and does nothing else.
// The additional time of a runtime is the cost of that runtime.
//
//     echo_floor CORE        prints its port, then runs until it is killed

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_MAX = 64, BUFFER_BYTES = 256 * 1024 };

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

static int echo(int connection, char *buffer) {
    ssize_t count = read(connection, buffer, BUFFER_BYTES);
    for (ssize_t sent = 0; sent < count;) {
        ssize_t step = write(connection, buffer + sent, (size_t)(count - sent));
        if (step < 0) return 0;
        sent += step;
    }
    return count > 0;
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    pin(atoi(arguments[1]));
    static char buffer[BUFFER_BYTES];
    int listener = listen_on_loopback();
    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int i = 0; i < ready; i++) {
            int file = events[i].data.fd;
            if (file == listener) {
                int one = 1;
                int connection = accept(listener, NULL, NULL);
                setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                struct epoll_event added = {.events = EPOLLIN, .data.fd = connection};
                epoll_ctl(poll, EPOLL_CTL_ADD, connection, &added);
            } else if (!echo(file, buffer)) {
                close(file);
            }
        }
    }
}
