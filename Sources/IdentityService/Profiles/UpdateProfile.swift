import Addresses
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfilesHandler {
    /// Changes the display name; from then on no provider replaces it (G-17).
    /// - Throws: as `SessionsAPI.owner(ofAccessToken:_:)` and `SQLSession.callersRow`;
    ///   `rpc/invalid-argument`, `auth/idempotency-key-reused`.
    func updateProfile(
        _ request: IdentityV1.UpdateProfileRequest, _ context: CallContext
    ) async throws -> IdentityV1.UpdateProfileResponse {
        let owner = try await sessions.owner(ofAccessToken: request.accessToken, context)
        let name = try Self.name(request)
        let call = try RepeatableCall(
            "UpdateProfile", [Array(owner.account.text.utf8), Array((name ?? "").utf8)], context,
            hash: keys.calls)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let row = try await store.write(about: [.account(owner.account)]) { transaction in
            let row = try transaction.callersRow(owner.account)
            guard let name, try transaction.storedResponse(of: call) == nil else { return row }
            try transaction.setDisplayName(
                try reader.vault(row).seal(name, .displayName), of: row.account)
            try transaction.audit(.profileUpdated, row.account, from: origin)
            try transaction.remember(call, StoredResponse(account: row.account.key))
            return try transaction.callersRow(row.account)
        }
        return IdentityV1.UpdateProfileResponse(account: try reader.message(row))
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
