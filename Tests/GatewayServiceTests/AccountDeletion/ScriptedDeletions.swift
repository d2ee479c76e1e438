import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A stand-in for identity's deletions, which records whose deletion it was asked for.
final class ScriptedDeletions: AccountDeletionsAPI {
    private let state = Mutex<[String]>([])
    private let preview: IdentityV1.PreviewDeletionResponse
    private let refusal: ServiceError?

    init(
        preview: IdentityV1.PreviewDeletionResponse = .init(), refusal: ServiceError? = nil
    ) {
        self.preview = preview
        self.refusal = refusal
    }

    /// The calls so far, each with its caller: `preview link`, `request session now`.
    var calls: [String] { state.withLock { $0 } }

    private func record(_ call: String, _ caller: IdentityV1.DeletionCaller?) throws {
        let by =
            switch caller?.by {
            case .linkToken(let token): "link \(token)"
            case .accessToken: "session"
            case nil: "none"
            }
        state.withLock { $0.append("\(call) by \(by)") }
        if let refusal { throw refusal }
    }

    func previewDeletion(
        _ request: IdentityV1.PreviewDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.PreviewDeletionResponse {
        try record("preview", request.caller)
        return preview
    }

    func requestDeletion(
        _ request: IdentityV1.RequestDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestDeletionResponse {
        try record("request \(request.confirmationToken)", request.caller)
        return .init(
            deletion: .init(
                state: request.wait ? .waiting : .deleting, requestedAtMs: 1, dueAtMs: 2))
    }

    func cancelDeletion(
        _ request: IdentityV1.CancelDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelDeletionResponse {
        try record(context.idempotencyKey == nil ? "cancel" : "cancel once", request.caller)
        return .init(cancelled: true)
    }

    func getDeletion(
        _ request: IdentityV1.GetDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetDeletionResponse {
        try record("get", nil)
        return .init(deletion: .init(state: .waiting, requestedAtMs: 1, dueAtMs: 2))
    }

    func requestDeletionLink(
        _ request: IdentityV1.RequestDeletionLinkRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestDeletionLinkResponse {
        try record("mail \(request.email)", nil)
        return .init()
    }
}
