import HTTPTypes
import NIOCore
import ServiceRuntime

/// The request among those of all clients (`ClientPlaces`), and its deadlines.
extension RunningExchange {
    // MARK: Places

    /// There is no place for the request. It holds nothing, so its response must end at once: the
    /// head does so on HTTP/2, where a client keeps a body back with a closed window.
    func refuse() {
        connection.loop.figures.refused(.overload)
        let failure = Self.overload
        connection.client.isHTTP2
            ? respond(Self.head(failure), ByteBuffer(), nil) : send(failure)
        connection.requestAnswered(at: connection.shared.time.uptime())
    }

    static let overload = HTTPFailure(.serviceUnavailable, "overloaded; try later")

    /// The request counts no more among those of all clients.
    func leavePlace() {
        if let place = place.take() { connection.requestLeft(place) }
    }

    /// The request waits for its client now, or works again.
    func waitingChanged() {
        guard let place else { return }
        let waits = bodyWaiter != nil || writeWaiter != nil || hasReturned
        guard waits != isWaiting else { return }
        isWaiting = waits
        if waits, waitingSince == nil { waitingSince = connection.shared.time.uptime() }
        connection.loop.request(place, waitsSince: waits ? waitingSince : nil)
    }

    /// Another request gets its place, or what it does.
    func endForAnother() {
        guard let stream else { return }
        connection.loop.figures.refused(.displaced)
        leavePlace()
        if isResponseBegun || connection.client.isHTTP2 {
            stream.endForAnother()
        } else {
            send(Self.overload)
        }
        streamClosed()
        // Also after that response.
        task?.cancel()
    }

    // MARK: Deadlines

    /// The whole body must arrive within `WebLimits.bodyTimeout`.
    func limitBodyTime() {
        guard !isRequestEnded, bodyDeadline == nil, stream != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let timeout = TimeAmount(connection.shared.limits.bodyTimeout)
        bodyDeadline = loop.scheduleTask(in: timeout) {
            bound.value.connection.loop.figures.refused(.slowBody)
            bound.value.failBody(HTTPFailure(.requestTimeout, "the body did not arrive in time"))
        }
    }

    /// How long before the deadline of the gateway's call a client must have taken the response to
    /// it: a slow client is no failure of the gateway.
    private static let deadlineMargin = Duration.milliseconds(100)

    /// The whole response must be taken before `deadline`, on the uptime clock, which is also that
    /// of the gateway's call: of HTTP/1.1, whose connection may be used again, all but what the
    /// sockets hold.
    func limitResponseTime(until deadline: Duration) {
        guard responseDeadline == nil, stream != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let rest = deadline - Self.deadlineMargin - connection.shared.time.uptime()
        responseDeadline = loop.scheduleTask(in: TimeAmount(rest)) {
            bound.value.endSlowResponse()
        }
    }

    /// The deadline is over. If the response waits for the gateway and not for the client, the
    /// gateway's call ends soon by its own deadline.
    ///
    /// Attack: a client reads at this moment only, and stalls again. So the stream of a client that
    /// stalls after the deadline is reset too.
    func endSlowResponse() {
        isResponseLate = true
        guard let stream, writeWaiter != nil || isResponseEnded else { return }
        connection.loop.figures.refused(.slowReader)
        stream.abort()
        streamClosed()
    }
}
