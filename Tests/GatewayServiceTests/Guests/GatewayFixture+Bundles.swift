import Contracts
import Messages
import RPC

@testable import GatewayService

extension GatewayV1.BundledDocument {
    /// A document of the collection `goals`, changed on the device long ago.
    static let goals = Self(
        collection: "goals", name: "main", json: #"{"sleep":8}"#, changedAtMs: 1_000)
}

extension GuestsClient {
    /// Uploads documents and reads the progress meanwhile. A write fails when the call has ended;
    /// then the progress has its error.
    /// - Returns: the items of the response.
    func upload(
        _ documents: [GatewayV1.BundledDocument], in context: CallContext
    ) async throws -> [GatewayV1.UploadGuestBundleItem] {
        let call = uploadGuestBundle(context)
        async let progress = call.incoming.all()
        do {
            let head = GatewayV1.GuestBundleHead(documents: UInt32(documents.count))
            try await call.outgoing.write(.init(part: .head(head)))
            for document in documents {
                try await call.outgoing.write(.init(part: .document(document)))
            }
            call.outgoing.finish()
        } catch {
            return try await progress
        }
        return try await progress
    }
}

extension GatewayFixture {
    /// As `GuestsService.upload`.
    func upload(
        _ documents: [GatewayV1.BundledDocument], in context: CallContext
    ) async throws -> [GatewayV1.UploadGuestBundleItem] {
        try await guests.upload(documents, in: context)
    }
}
