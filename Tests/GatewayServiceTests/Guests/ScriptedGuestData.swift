import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Identity's guest data that answers as the test says, and records what it gets.
final class ScriptedGuestData: GuestDataService {
    private struct State {
        var head: IdentityV1.GuestBundleHead?
        var documents: [GatewayV1.BundledDocument] = []
        var keys: [String?] = []
    }

    /// What it says about every migration.
    static let migration = GatewayV1.Migration(
        migrationId: "mig_0000000000001", state: .needsAttention, choice: .merge, documents: 3,
        done: 2, issues: [.init(collection: "goals", name: "main", code: "auth/document-quota")],
        createdAtMs: 5, changedAtMs: 7)

    private let state = Mutex(State())
    private let refusal: ServiceError?

    /// - Parameter refusal: The error of each upload, after its head; nil for none.
    init(refusal: ServiceError? = nil) { self.refusal = refusal }

    var head: IdentityV1.GuestBundleHead? { state.withLock { $0.head } }
    var documents: [GatewayV1.BundledDocument] { state.withLock { $0.documents } }
    /// The idempotency keys of the uploads.
    var keys: [String?] { state.withLock { $0.keys } }

    func uploadGuestBundle(
        _ incoming: IncomingItems<IdentityV1.UploadGuestBundleRequest>,
        _ outgoing: OutgoingItems<IdentityV1.UploadGuestBundleItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0.keys.append(context.idempotencyKey) }
        for try await item in incoming {
            if let refusal { throw refusal }
            let received = state.withLock { state -> Int? in
                switch item.part {
                case .head(let head): (state.head, state.documents) = (head, [])
                case .document(let document): state.documents.append(document)
                case nil: break
                }
                return state.documents.isEmpty ? nil : state.documents.count
            }
            if let received {
                try await outgoing.write(.init(receivedDocuments: UInt32(received)))
            }
        }
        try await outgoing.write(
            .init(receivedDocuments: UInt32(documents.count), migration: Self.migration))
    }
}
