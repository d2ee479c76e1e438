import Logging
import Messages
import NIOCore
import ServiceRuntime

/// How a server connection ends calls: each gets exactly one Response.
extension ServerConnection {
    /// A handler returned `response`.
    /// - Returns: false when it is over the peer's limit.
    func finished(_ call: UInt64, _ response: some ProtobufMessage) -> Bool {
        guard machine.finished(call) else {
            closeIfDrained()
            return true
        }
        languages.take(call)
        resources.lend(&out)
        let isWritten = FrameWriter.writeResponse(
            call: call, response, to: &out, frameBytesMax: peerFrameBytesMax)
        if !isWritten { answer(call, ResponseWriter.tooLarge) }
        flushSoon()
        closeIfDrained()
        return isWritten
    }

    /// A handler has said all in its items.
    func finished(_ call: UInt64) {
        guard machine.finished(call) else { return closeIfDrained() }
        languages.take(call)
        write(.response(WireV1.Response(call: call)))
        flushSoon()
        closeIfDrained()
    }

    /// A running call ends before its handler has returned: both sides are told.
    func stop(_ call: UInt64, _ running: RunningCall?, _ error: ServiceError) {
        running?.stop(error)
        refuse(call, error)
        forgetWaiting(call)
    }

    /// A handler threw `error`.
    func failed(_ call: UInt64, _ error: any Error) {
        guard machine.finished(call) else { return closeIfDrained() }
        answer(call, error)
        flushSoon()
        closeIfDrained()
    }

    /// Answers with what `error` maps to. Only the catalogue crosses the wire: anything else is
    /// `rpc/internal`, and its text stays in the log.
    func answer(_ call: UInt64, _ error: any Error) {
        switch error {
        case let error as ServiceError: refuse(call, error)
        case let error as MessageError:
            refuse(call, ServiceError(.invalidArgument, detail: "\(error)"))
        case is CancellationError: refuse(call, ServiceError(.cancelled))
        default:
            refuse(call, ServiceError(.internalError, detail: String(reflecting: error)))
        }
    }

    /// Answers with an entry of the catalogue.
    func refuse(_ call: UInt64, _ error: ServiceError) {
        if error.code == .internalError {
            shared.logger.error(
                "rpc.handler.failed", "a handler failed", fields: [.detail: .text(error.detail)])
        }
        counts.figures.refused(error)
        let worded = error.worded(in: languages.take(call))
        write(.response(WireV1.Response(call: call, worded)))
        flushSoon()
    }
}
