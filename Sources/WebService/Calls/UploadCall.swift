import Messages
import RPC
import ServiceRuntime

extension BidirectionalCall {
    /// Runs an upload: sends, and at the same time reads what the gateway answers, which may refuse
    /// the upload before it has received all of it.
    /// - Parameters:
    ///   - send: writes all items. What ends the call while it writes is the error of `result`.
    ///   - result: reads the items of the response to their end.
    /// - Throws: the errors of `send`, except a `ServiceError` of the call; those of `result`.
    func upload<Result: Sendable>(
        _ send: @escaping @Sendable (OutgoingItems<Request>) async throws -> Void,
        result: @escaping @Sendable (IncomingItems<Response>) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { sides in
            defer { sides.cancelAll() }
            sides.addTask {
                do {
                    try await send(outgoing)
                } catch is ServiceError {
                    return nil  // the call is over; `result` has its error
                }
                outgoing.finish()
                return nil
            }
            sides.addTask { try await result(incoming) }
            while let side = try await sides.next() {
                if let result = side { return result }
            }
            throw ServiceError(.internalError, detail: "an upload ended without its result")
        }
    }
}
