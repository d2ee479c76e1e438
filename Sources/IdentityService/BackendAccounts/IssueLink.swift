import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension BackendAccountsHandler {
    /// Makes a link that a backend mails itself (I-10). It is stored as a mailed one, with the same
    /// life and page, and voids the one before. Pure, by the account:
    ///
    ///     purpose          the account                                     result
    ///     any              none                                            rpc/not-found
    ///     any              suspended, deleting                             auth/user-disabled
    ///     any              a guest                                         auth/operation-not-allowed
    ///     verify-email     without an address, or it is verified           auth/operation-not-allowed
    ///     reset-password   without an address, or passwords are off        auth/operation-not-allowed
    ///     change-email     waits for the verification of its address       auth/operation-not-allowed
    ///     change-email     has the new address already                     auth/invalid-email
    ///     change-email     the new address is another account's            auth/email-already-in-use
    ///     otherwise                                                        the link
    ///
    /// The token is made by identity's key from random bytes, which the stored response has. So a
    /// repeat gets the same link, and no store, backup or log has one that works.
    ///
    /// Attack: a thief of a backend's key makes a link to any account. The owner gets no mail now, but
    /// on its use as ever, and an account with a second factor asks for it. The trail has each link.
    func issueLink(
        _ request: GatewayV1.IssueLinkRequest, _ call: AccountCall
    ) async throws -> GatewayV1.IssueLinkResponse {
        let purpose = try IssuedPurpose(request)
        if purpose.setsPassword { try passwords.requireOn(field: "purpose") }
        let seed = randomness.bytes(LinkToken.seedBytes)
        let stored = try await store.write(about: [.account(call.account)]) { transaction in
            if let first = try transaction.storedResponse(of: call.repeatable) { return first }
            let token = LinkToken(issuedFor: seed, keys.links)
            let expiresAt = try insert(token, for: purpose, call, transaction)
            try transaction.audit(call.event(.linkIssued, detail: .link(purpose.detail)))
            let response = IdentityV1.StoredResponse(
                account: call.account.key, linkSeed: seed,
                linkExpiresAtMs: expiresAt.milliseconds)
            try transaction.remember(call.repeatable, response)
            return response
        }
        let token = LinkToken(issuedFor: stored.linkSeed, keys.links)
        return GatewayV1.IssueLinkResponse(
            url: token.url(purpose.link, origin: settings.linkOrigin),
            expiresAtMs: stored.linkExpiresAtMs)
    }

    /// - Returns: when the link ends.
    private func insert(
        _ token: LinkToken, for purpose: IssuedPurpose, _ call: AccountCall,
        _ transaction: Transaction
    ) throws -> Timestamp {
        guard let row = try transaction.account(call.account) else {
            throw ServiceError.noManagedAccount
        }
        guard row.status.mayVerify else { throw ServiceError(.accountDisabled) }
        guard !row.isGuest else { throw ServiceError(.operationNotAllowed) }
        switch purpose {
        case .verifyEmail:
            guard row.address?.provedAt == nil else { throw ServiceError(.operationNotAllowed) }
            let end = transaction.at + settings.verificationLife
            return try insert(token, .verifyEmail, to: row, until: end, transaction)
        case .resetPassword:
            let end = transaction.at + settings.resetLife
            return try insert(token, .resetPassword, to: row, until: end, transaction)
        case .changeEmail(let address):
            return try insert(token, changing: row, to: address, transaction)
        }
    }

    private func insert(
        _ token: LinkToken, _ purpose: LinkPurpose, to row: AccountRow, until end: Timestamp,
        _ transaction: Transaction
    ) throws -> Timestamp {
        guard let address = row.address else { throw ServiceError(.operationNotAllowed) }
        try transaction.removeLinks(purpose, of: row.account)
        try transaction.insert(
            NewLink(
                key: randomness.rowKey(), tokenHash: token.hash(purpose, keys.links),
                purpose: purpose, account: row.account, addressKey: address.lookUpKey,
                expiresAt: end))
        return end
    }

    private func insert(
        _ token: LinkToken, changing row: AccountRow, to address: EmailAddress,
        _ transaction: Transaction
    ) throws -> Timestamp {
        guard row.status.isUsable else { throw ServiceError(.operationNotAllowed) }
        let key = keys.lookUpKey(of: address)
        guard row.address?.lookUpKey != key else {
            throw ServiceError.ownAddress(field: "new_email")
        }
        guard try transaction.owner(ofAddress: key) == nil else {
            throw ServiceError(.emailAlreadyInUse, fields: ["new_email"])
        }
        let end = transaction.at + settings.verificationLife
        try transaction.insert(
            PendingEmailChange(
                account: row.account, tokenHash: token.hash(.changeEmail, keys.links),
                addressKey: key,
                sealedAddress: try reader.vault(row).seal(address.entered, .newAddress),
                expiresAt: end))
        return end
    }
}

/// What a backend's link is for.
private enum IssuedPurpose: Sendable {
    case verifyEmail, resetPassword
    case changeEmail(to: EmailAddress)

    /// Reads a request.
    /// - Throws: `auth/invalid-email`; `rpc/invalid-argument` with the field.
    init(_ request: GatewayV1.IssueLinkRequest) throws(ServiceError) {
        switch request.purpose {
        case .verifyEmail: self = .verifyEmail
        case .resetPassword: self = .resetPassword
        case .changeEmail:
            guard let address = EmailAddress(request.newEmail) else {
                throw ServiceError(.invalidEmail, fields: ["new_email"])
            }
            self = .changeEmail(to: address)
        default: throw ServiceError(.invalidArgument, fields: ["purpose"])
        }
        guard request.purpose == .changeEmail || request.newEmail.isEmpty else {
            throw ServiceError(.invalidArgument, fields: ["new_email"])
        }
    }

    /// Whether its page sets a password.
    var setsPassword: Bool { if case .resetPassword = self { true } else { false } }

    /// The stored purpose, which also names the page.
    var link: LinkPurpose {
        switch self {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .changeEmail: .changeEmail
        }
    }

    /// For the trail.
    var detail: AuditDetail.IssuedLink {
        switch self {
        case .verifyEmail: .verifyEmail
        case .resetPassword: .resetPassword
        case .changeEmail: .changeEmail
        }
    }
}

extension LinkToken {
    /// Random bytes of a backend's link: as many as cannot be guessed, and no more in each stored
    /// response.
    static let seedBytes = 16

    /// The token of a backend's link. Only identity's key makes it from the random bytes that a
    /// stored response has.
    init(issuedFor seed: [UInt8], _ links: KeyedHash) {
        self.init(bytes: links.hash(Array("issued link\0".utf8) + seed))
    }
}
