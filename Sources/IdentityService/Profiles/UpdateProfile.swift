import Addresses
import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountProfilesHandler {
    /// Changes the display name, also in the document that has it; from then on no provider
    /// replaces it (G-17).
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)` and `SQLSession.changeableRow`;
    ///   `rpc/invalid-argument`, `auth/document-quota`, `auth/idempotency-key-reused`.
    func updateProfile(
        _ request: IdentityV1.UpdateProfileRequest, _ context: CallContext
    ) async throws -> IdentityV1.UpdateProfileResponse {
        let owner = try await sessions.validated(accessToken: request.accessToken, context)
        let name = try Self.name(request)
        let call = try RepeatableCall(
            "UpdateProfile", [Array(owner.account.text.utf8), Array((name ?? "").utf8)], context,
            hash: keys.calls)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let (row, isWritten) = try await store.write(about: [.account(owner.account)]) {
            transaction in
            let row = try transaction.changeableRow(owner.account)
            guard let name, try transaction.storedResponse(of: call) == nil else {
                return (row, false)
            }
            try transaction.setDisplayName(
                try reader.vault(row).seal(name, .displayName), of: row.account)
            let isWritten = try write(name, toDocumentOf: row.account, transaction)
            try transaction.audit(.profileUpdated, row.account, from: origin)
            try transaction.remember(call, .init(account: row.account.key))
            return (try transaction.callersRow(row.account), isWritten)
        }
        if isWritten { documents.watchers.changed(owner.account) }
        return IdentityV1.UpdateProfileResponse(account: try await answers.account(row))
    }

    /// Writes the name into the field of `profile/main` that the rules mark as the display name, if
    /// the account has that document. Its other fields stay, also those that the rules would refuse
    /// now.
    /// - Returns: whether the document has changed.
    /// - Throws: `rpc/invalid-argument` for a name that the field's rules refuse;
    ///   `auth/document-quota`.
    private func write(
        _ name: String, toDocumentOf account: AccountID, _ transaction: Transaction
    ) throws -> Bool {
        let key = DocumentKey.main(DocumentRules.profileName)
        guard let rules = documents.rules.value.collection(key.collection),
            let field = rules.displayNameField, let owner = try transaction.documentOwner(account)
        else { return false }
        let owned = try documents.opened(owner)
        guard let former = try owned.document(key, in: transaction),
            let present = try former.object()
        else { return false }
        let renamed = present.merging([field: name.isEmpty ? .null : .string(name)])
        guard renamed != present else { return false }
        let refused = rules.violations(
            of: renamed, replacing: present, by: .owner, voice: .english
        ).contains { $0.field == field }
        guard !refused, let text = DocumentText.text(renamed) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        _ = try owned.write(
            [DocumentChange(key: key, former: former, json: text)],
            within: DocumentQuota(isGuest: owner.isGuest, documents.settings), in: transaction)
        return true
    }

    /// The new name in Normalization Form C; nil to keep the present one.
    private static func name(
        _ request: IdentityV1.UpdateProfileRequest
    ) throws(ServiceError) -> String? {
        guard case .displayName(let entered) = request.name else { return nil }
        let name = String(decoding: NormalFormC.utf8(of: entered), as: UTF8.self)
        guard Applicant.isDisplayName(name) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        return name
    }
}
