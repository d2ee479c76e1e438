import Messages
import ServiceRuntime

/// Decodes what a peer answered. One that does not decode is the peer's mistake: a handler that
/// hands the error on must not tell its own caller that *their* request was wrong.
func peersAnswer<Message>(_ decode: () throws -> Message) throws -> Message {
    do {
        return try decode()
    } catch let error as MessageError {
        throw ServiceError(.internalError, detail: "a peer's answer does not decode: \(error)")
    }
}
