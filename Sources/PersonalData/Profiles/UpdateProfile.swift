import Addresses
import Cryptography
import IdentityService
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfileHandler {
    /// Changes the display name, also in the document that has it; from then on no provider
    /// replaces it (G-17).
    func updateProfile(
        _ request: GatewayV1.UpdateProfileRequest, _ call: AccountCall
    ) async throws -> GatewayV1.UpdateProfileResponse {
        let name = try Self.name(request)
        let done = try await documents.change(call) { session, moment -> UpdatedProfile? in
            let row = try session.changeableRow(call.account)
            let isRepeat = try session.storedResponse(of: call.repeatable, at: moment) != nil
            guard name == nil || isRepeat else { return nil }
            return UpdatedProfile(row: row, isWritten: false)
        } read: { session, owner -> DocumentReading<DocumentRow?, UpdatedProfile> in
            let row = try session.documentRow(
                keys.documents.nameKey(Self.document, of: owner.account), of: owner.account)
            return .found(row, bytes: Int(row?.bytes ?? 0))
        } prepare: { owned, row -> PreparedDocuments<[UInt8]> in
            let renamed = try renamed(row, name ?? "", of: owned)
            return PreparedDocuments(
                documents: renamed.map { [$0] } ?? [],
                detail: try owned.vault.seal(name ?? "", .displayName))
        } write: { prepared, owner, transaction in
            try transaction.setDisplayName(prepared.detail, of: owner.account)
            if !prepared.documents.isEmpty {
                _ = try transaction.write(
                    prepared.documents, of: owner,
                    within: DocumentQuota(isGuest: owner.isGuest, documents.settings))
            }
            try transaction.audit(.profileUpdated, owner.account, from: call.origin)
            try transaction.remember(call.repeatable, .init(account: owner.account.key))
            let row = try transaction.callersRow(owner.account)
            try ProfileCompletion(answers: answers).record(
                row, on: DeviceShown(nil, from: call.origin), from: call.origin,
                transaction)
            return UpdatedProfile(row: row, isWritten: !prepared.documents.isEmpty)
        }
        if done.isWritten { documents.watchers.changed(call.account) }
        return GatewayV1.UpdateProfileResponse(account: try await answers.account(done.row))
    }

    private static let document = DocumentKey.main(DocumentRules.profileName)

    /// The document `profile/main` with the name in the field that the rules mark as the display
    /// name, if the account has that document. Its other fields stay, also those that the rules would
    /// refuse now.
    /// - Returns: nil if there is none, or it has the name already.
    /// - Throws: `rpc/invalid-argument` for a name that the field's rules refuse.
    private func renamed(
        _ row: DocumentRow?, _ name: String, of owned: OwnedDocuments
    ) throws -> SealedDocument? {
        guard let rules = documents.rules.value.collection(Self.document.collection),
            let field = rules.displayNameField, let former = try row.map(owned.open),
            let present = try former.object()
        else { return nil }
        let renamed = present.merging([field: name.isEmpty ? .null : .string(name)])
        guard renamed != present else { return nil }
        let refused = rules.violations(
            of: renamed, replacing: present, by: .owner, voice: .english
        ).contains { $0.field == field }
        guard !refused, let text = DocumentText.text(renamed) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        return try owned.sealed(
            DocumentChange(key: Self.document, former: former.state, json: text))
    }

    /// The new name in Normalization Form C; nil to keep the present one.
    private static func name(
        _ request: GatewayV1.UpdateProfileRequest
    ) throws(ServiceError) -> String? {
        guard case .displayName(let entered) = request.name else { return nil }
        let name = String(decoding: NormalFormC.utf8(of: entered), as: UTF8.self)
        guard Applicant.isDisplayName(name) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        return name
    }
}

/// What a call did.
private struct UpdatedProfile: Sendable {
    let row: AccountRow
    /// Whether the document has changed.
    let isWritten: Bool
}
