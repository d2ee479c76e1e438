// The lower bound for every figure: a server that sends back what it reads and does nothing else.
// The additional time of a runtime is the cost of that runtime.
//
//     echo_floor CORE        prints its port, then runs until it is killed

#include "floor.h"
#include <stdlib.h>
#include <unistd.h>

static int echo(struct connection *connection) {
    ssize_t count = read(connection->file, connection->bytes, BUFFER_BYTES);
    return count > 0 && send_all(connection->file, connection->bytes, (size_t)count);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    serve(atoi(arguments[1]), echo);
}
