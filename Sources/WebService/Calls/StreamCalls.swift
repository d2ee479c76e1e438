import Contracts
import HTTPTypes
import Logging
import Messages
import RPC
import ServiceRuntime

/// Streams of the gateway behind requests that are no calls themselves, since browsers cannot send
/// or read streams of calls: photos, guests' bundles and archives.
///
/// Callers are judged, and errors have the form, as for unary calls, so that apps handle one.
struct StreamCalls: Sendable {
    let methods: CallMethods
    let callers: CallerCheck
    let formalLanguages: FormalLanguages
    let time: any Time
    let logger: Logger

    /// The context of a call in the session of the request, whose deadline is also the client's: it
    /// sends or reads within it.
    /// - Parameter orAnyone: Whether the request need not name its caller.
    /// - Throws: as `CallerCheck.caller` and `BoundIdempotencyKey`; `rpc/unknown-method`.
    func context(
        _ method: MethodDescription, _ exchange: HTTPExchange, orAnyone: Bool = false
    ) throws(ServiceError) -> CallContext {
        guard let schema = methods[method.name]?.schema else { throw ServiceError(.unknownMethod) }
        let (head, client) = (exchange.head, exchange.client)
        let caller =
            orAnyone
            ? try callers.callerOrAnyone(of: head, client, method: schema)
            : try callers.caller(of: head, client, method: schema)
        // A backend's token has no hash of the body, as for other streams.
        try caller.check(body: [])
        var metadata = Metadata(of: head.headerFields, from: caller)
        let key = metadata[Metadata.Key.idempotencyKey]
        metadata[Metadata.Key.idempotencyKey] = nil
        if !method.isIdempotent, let key {
            metadata[Metadata.Key.idempotencyKey] = try BoundIdempotencyKey.bound(
                key, of: caller, request: [], method: schema)
        }
        return CallContext(
            deadline: time.uptime() + method.timeout, isCallersDeadline: true, metadata: metadata)
    }

    /// Answers a PUT with the JSON that `upload` returns, or with its error.
    /// - Throws: `HTTPFailure` 405.
    func answer(
        put exchange: HTTPExchange, _ upload: () async throws -> String
    ) async throws(HTTPFailure) {
        guard exchange.head.method == .put else { throw HTTPFailure(allowing: "PUT") }
        _ = await result(for: exchange) {
            try response(to: exchange).send(Array(try await upload().utf8))
        }
    }

    /// What `body` returns; nil after its error was sent, or if the client is gone.
    func result<Result>(
        for exchange: HTTPExchange, _ body: () async throws -> Result
    ) async -> Result? {
        do {
            return try await body()
        } catch is CancellationError {
            return nil
        } catch {
            response(to: exchange).fail(CallFailure(error, logger: logger))
            return nil
        }
    }

    private func response(to exchange: HTTPExchange) -> CallResponse {
        CallResponse(
            exchange, nil, .unaryJSON, fields: callers.responseFields(of: exchange.head),
            formalLanguages.voice(for: exchange.head.headerFields))
    }
}
