import ServiceRuntime

// For a service that is called by its own program, without a connection. Generated code uses these
// to make the client's interface of a streaming method from the server's.

extension IncomingItems {
    /// The items that `serve` writes, in its own task.
    package static func inProcess(
        _ serve: @escaping @Sendable (OutgoingItems<Item>) async throws -> Void
    ) -> IncomingItems<Item> {
        let pipe = ItemPipe<Item>()
        let writer = Task { await pipe.endAfter { try await serve(OutgoingItems(pipe)) } }
        return IncomingItems(pipe, PipeUser(pipe) { writer.cancel() })
    }
}

extension ClientStreamCall {
    /// Passes the caller's items to `serve` and returns its response.
    package static func inProcess(
        _ serve: @escaping @Sendable (IncomingItems<Request>) async throws -> Response
    ) -> ClientStreamCall<Request, Response> {
        let pipe = ItemPipe<Request>()
        let answer = Task {
            defer { pipe.end(.failure(ServiceError(.cancelled))) }
            return try await serve(IncomingItems(pipe))
        }
        let user = PipeUser(pipe) { answer.cancel() }
        return ClientStreamCall(OutgoingItems(pipe)) {
            defer { withExtendedLifetime(user) {} }
            return try await withTaskCancellationHandler {
                try await answer.value
            } onCancel: {
                answer.cancel()
            }
        }
    }
}

extension BidirectionalCall {
    /// Passes the caller's items to `serve` and returns the items that it writes.
    package static func inProcess(
        _ serve:
            @escaping @Sendable (IncomingItems<Request>, OutgoingItems<Response>) async throws
            -> Void
    ) -> BidirectionalCall<Request, Response> {
        let requests = ItemPipe<Request>()
        let incoming = IncomingItems<Response>.inProcess { outgoing in
            defer { requests.end(.failure(ServiceError(.cancelled))) }
            try await serve(IncomingItems(requests), outgoing)
        }
        return BidirectionalCall(OutgoingItems(requests), incoming)
    }
}

extension ItemPipe {
    /// Ends the pipe when `body` returns or throws.
    fileprivate func endAfter(_ body: () async throws -> Void) async {
        do {
            try await body()
            finish()
        } catch {
            end(.failure(ServiceError(anyOf: error)))
        }
    }
}

extension ServiceError {
    /// Converts any error to one of the catalogue.
    init(anyOf error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case is CancellationError: self = ServiceError(.cancelled)
        default: self = ServiceError(.internalError, detail: String(reflecting: error))
        }
    }
}
