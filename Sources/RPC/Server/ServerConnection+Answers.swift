import Logging
import Messages
import NIOCore
import ServiceRuntime

/// How a server connection ends calls: each gets exactly one Response.
extension ServerConnection {
    /// A handler returned `response`.
    /// - Returns: the status that was sent, nil if the call had been answered before; and the number of
    ///   bytes written.
    func finish(
        _ call: UInt64, with response: some WireEncoded
    ) -> (status: StatusCode?, byteCount: Int) {
        defer { closeIfDrained() }
        guard machine.finished(call) else { return (nil, 0) }
        takeLanguage(of: call)
        if !isReading { resources.provideSpare(&out) }  // a read begins with it
        let byteCount = FrameWriter.writeResponse(
            call: call, response, to: &out, frameBytesMax: peerFrameBytesMax)
        if byteCount == nil {
            respond(to: call, with: ServiceError(answering: ResponseWriter.tooLarge))
        }
        flushSoon()
        return (byteCount == nil ? .resourceExhausted : .ok, byteCount ?? 0)
    }

    /// The handler of a server stream returned.
    /// - Returns: false if the call had been answered before.
    func finish(_ call: UInt64) -> Bool {
        defer { closeIfDrained() }
        guard machine.finished(call) else { return false }
        takeLanguage(of: call)
        write(.response(WireV1.Response(call: call)))
        flushSoon()
        return true
    }

    /// Ends a running call before its handler has returned: cancels the handler and responds.
    func stop(_ call: UInt64, _ running: RunningCall?, _ error: ServiceError) {
        running?.stop(error)
        respond(to: call, with: error)
        forgetWaiting(call)
    }

    /// A handler threw `error`.
    /// - Returns: false if the call had been answered before.
    func finish(_ call: UInt64, throwing error: any Error) -> Bool {
        defer { closeIfDrained() }
        guard machine.finished(call) else { return false }
        respond(to: call, with: ServiceError(answering: error))
        flushSoon()
        return true
    }

    /// Responds with an error of the catalogue.
    func respond(to call: UInt64, with error: ServiceError) {
        if error.code == .internalError {
            shared.logger.error(
                "rpc.handler.failed", "a handler failed", fields: [.detail: .text(error.detail)])
        }
        counts.figures.refused(error)
        let worded = error.worded(in: takeLanguage(of: call))
        write(.response(WireV1.Response(call: call, worded)))
        flushSoon()
    }

    /// Records the language in which the errors of a new call are written.
    func recordLanguage(of call: UInt64, _ metadata: Metadata) {
        guard !metadata.entries.isEmpty else { return }
        let voice = metadata.voice
        if voice != .english { languages[call] = voice }
    }

    /// Removes and returns the language of a call that ends.
    @discardableResult
    func takeLanguage(of call: UInt64) -> Voice {
        hasLanguages ? languages.removeValue(forKey: call) ?? .english : .english
    }
}
