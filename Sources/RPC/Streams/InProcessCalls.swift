import ServiceRuntime

// A service called by its own program, without a wire: the generated code makes the client's face
// of a streaming method from the server's by these.

extension IncomingItems {
    /// What `serve` writes, in a task of its own.
    package static func inProcess(
        _ serve: @escaping @Sendable (OutgoingItems<Item>) async throws -> Void
    ) -> IncomingItems<Item> {
        let pipe = ItemPipe<Item>()
        let writer = Task { await pipe.endAfter { try await serve(OutgoingItems(pipe)) } }
        return IncomingItems(pipe, PipeUser(pipe) { writer.cancel() })
    }
}

extension ClientStreamCall {
    /// What `serve` answers to the items that it is given.
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
    /// What `serve` writes while it reads.
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
    /// Ends the pipe as `body` does.
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
    /// `error` as one of the catalogue.
    init(anyOf error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case is CancellationError: self = ServiceError(.cancelled)
        default: self = ServiceError(.internalError, detail: String(reflecting: error))
        }
    }
}
