import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Identity's uploads of bundles that answer as the test says, and record what they get.
final class ScriptedGuestData: Sendable {
    private struct State {
        var head: GatewayV1.GuestBundleHead?
        var documents: [GatewayV1.BundledDocument] = []
        var contexts: [CallContext] = []
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

    var head: GatewayV1.GuestBundleHead? { state.withLock { $0.head } }
    var documents: [GatewayV1.BundledDocument] { state.withLock { $0.documents } }
    /// The contexts of the uploads.
    var contexts: [CallContext] { state.withLock { $0.contexts } }

    /// Serves `Guests/UploadGuestBundle`.
    var handler: MethodHandler {
        .bidirectional(GuestsDescription.uploadGuestBundle) {
            try await self.uploadGuestBundle($0, $1, $2)
        }
    }

    private func uploadGuestBundle(
        _ incoming: IncomingItems<GatewayV1.UploadGuestBundleRequest>,
        _ outgoing: OutgoingItems<GatewayV1.UploadGuestBundleItem>, _ context: CallContext
    ) async throws {
        state.withLock { $0.contexts.append(context) }
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
