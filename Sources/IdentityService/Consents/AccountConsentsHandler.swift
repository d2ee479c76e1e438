import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountConsents`: what accounts have agreed to (G-23). Each rpc is in the
/// file of its name: `getConsents`, `acceptTerms`, `withdrawConsent`, `getPrivacy`, `setPrivacy`.
/// Guests may agree, too.
struct AccountConsentsHandler: AccountConsentsService {
    let settings: ConsentSettings
    let store: Store
    let keys: IdentityKeys
    /// The session service, which knows the accounts of access tokens.
    let sessions: any SessionsAPI

    /// What the account of an access token has agreed to.
    /// - Throws: as `SessionsAPI.owner(ofAccessToken:_:)` and `SQLSession.callersRow`.
    func given(_ accessToken: String, _ context: CallContext) async throws -> GivenConsents {
        let owner = try await sessions.owner(ofAccessToken: accessToken, context)
        return try await store.read { try $0.callersRow(owner.account).consents }
    }

    /// Changes what the account of an access token has agreed to.
    /// - Parameter change: Gets what it has agreed to so far; runs in the transaction.
    /// - Returns: what it has agreed to now.
    /// - Throws: as `given(_:_:)`, and what `change` throws.
    func changing(
        _ accessToken: String, _ context: CallContext,
        _ change: @escaping @Sendable (AccountID, GivenConsents, Transaction) throws -> Void
    ) async throws -> GivenConsents {
        let owner = try await sessions.owner(ofAccessToken: accessToken, context)
        return try await store.write(about: [.account(owner.account)]) { transaction in
            let row = try transaction.callersRow(owner.account)
            try change(row.account, row.consents, transaction)
            return try transaction.consents(of: row.account)
        }
    }
}

extension ConsentSettings {
    /// What the operator asks for, as a message.
    var message: IdentityV1.ConsentOptions {
        IdentityV1.ConsentOptions(
            mode: mode.message, termsVersion: versions.terms, privacyVersion: versions.privacy,
            termsUrl: termsURL, privacyUrl: privacyURL)
    }
}

extension ConsentSettings.Mode {
    /// The mode in a message.
    fileprivate var message: IdentityV1.ConsentMode {
        switch self {
        case .off: .off
        case .asked: .asked
        case .required: .required
        }
    }
}
