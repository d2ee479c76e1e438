import Messages
import ServiceRuntime

/// Decodes a peer's response. A response that does not decode is the peer's fault, so it is an
/// internal error: a handler that forwards the error must not report to its own caller that the
/// caller's request was wrong.
/// - Throws: `rpc/internal` in place of a `MessageError`; any other error as thrown by `decode`.
func peersAnswer<Message>(_ decode: () throws -> Message) throws -> Message {
    do {
        return try decode()
    } catch let error as MessageError {
        throw ServiceError(.internalError, detail: "a peer's answer does not decode: \(error)")
    }
}
