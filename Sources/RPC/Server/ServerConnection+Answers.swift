import CoreMetrics
import Logging
import Messages
import NIOCore
import ServiceRuntime

/// How a server connection ends calls: each gets exactly one Response.
extension ServerConnection {
    /// A handler returned `response`.
    func finished(_ call: UInt64, _ response: some ProtobufMessage) {
        guard machine.finished(call) else { return closeIfDrained() }
        resources.lend(&out)
        let isWritten = response.withPacked(in: resources.arena) { packed in
            FrameWriter.writeResponse(
                call: call, packed, to: &out, frameBytesMax: peerFrameBytesMax)
        }
        if !isWritten { answer(call, ResponseWriter.tooLarge) }
        flushSoon()
        closeIfDrained()
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
            shared.logger.error("a handler failed", fields: [.detail: .text(error.detail)])
        }
        Counter(
            label: "rpc_errors_total", dimensions: [("code", error.code.rawValue)]
        ).increment()
        write(.response(WireV1.Response(call: call, error)))
        flushSoon()
    }
}
