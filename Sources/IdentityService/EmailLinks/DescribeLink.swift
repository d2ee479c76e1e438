import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Says what a mailed link is about, before anything is typed (G-11, G-12, W-04). It writes
    /// nothing: a scanner that opens a page uses no link up. A link is usable if the method of its
    /// purpose would accept it outside of a session:
    ///
    ///     purpose          is stored with               while the account is         mailed to
    ///     verify-email     `links`                      active or pending            its address
    ///                      a claim, with guesses left   a guest, the address free    that address
    ///     reset-password   `links`                      active or pending            its address
    ///     change-email     the change, guesses left     active                       the new one
    ///     delete-account   `links`                      active or pending            its address
    ///     keep-account     a deletion that waits        in any state                 its address
    ///     your-data        `links`                      active                       its address
    ///     not-me           `links`                      active, the address proved   its address
    ///     keep-second-     `links`, while a removal     in any state                 its address
    ///     factors          waits
    ///     parent           the consent                  not deleted otherwise        the parent's
    ///     delete-account,  `links`, of a session        active, the session live     not mailed (G-32)
    ///     your-data
    ///
    /// Where passwords are switched off, reset-password and claims are not usable, and the three that
    /// may need a password work in the account's session only (G-36).
    ///
    /// The password is needed too for verify-email and change-email (`ConfirmationRule`), and for
    /// your-data, where a page signs in with it. If the account has none, the latter two work in
    /// its session only, and the one that is typed at verify-email becomes its password.
    ///
    /// Attack: an attacker's account without a password requests a change to a victim's address. If
    /// the link alone confirmed it, the victim's click would give that account the address.
    ///
    /// Attack: somebody without a link asks. Used, expired, replaced and invented tokens have one
    /// answer, without a reason, and a token has 256 bits: there is nothing to learn.
    ///
    /// Attack: a link leaks without its mail, from a log or a browser's history. While it works it
    /// shows the address, and whether the account has a password; most links do more harm, such
    /// as a new password. What else the mail does not tell stays hidden: id, name, other addresses,
    /// and when a child comes of age, which would tell its birthday.
    ///
    /// Attack: a link of the attacker's own account leads a person to type a password there. So the
    /// address is whole: a masked one can be like the person's.
    func describeLink(
        _ request: GatewayV1.DescribeLinkRequest, _ context: CallContext
    ) async throws -> GatewayV1.DescribeLinkResponse {
        try context.requireGateway()
        let purpose = LinkPurpose(request.purpose)
        guard purpose != nil || request.purpose == .parent else {
            throw ServiceError(.invalidArgument, fields: ["purpose"])
        }
        guard let token = LinkToken(request.token) else { return GatewayV1.DescribeLinkResponse() }
        let now = time.now()
        let found = try await store.read { session in
            guard let purpose else { return try linkOfConsent(token, session, at: now) }
            return try usable(purpose, token, session, at: now)
        }
        guard let found else { return GatewayV1.DescribeLinkResponse() }
        if let session = found.session {
            guard try await owners.isLive(session, of: found.row.account, context) else {
                return GatewayV1.DescribeLinkResponse()
            }
        }
        let vault = try reader.vault(found.row)
        return GatewayV1.DescribeLinkResponse(
            usable: true, email: try found.sealed.map { try vault.open($0, found.field) } ?? "",
            passwordNeeded: found.proof == .password,
            expiresAtMs: found.end?.milliseconds ?? 0, sessionNeeded: found.proof == .session)
    }

    private func usable(
        _ purpose: LinkPurpose, _ token: LinkToken, _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        let hash = token.hash(purpose, keys.links)
        switch purpose {
        case .verifyEmail:
            return try storedLink(purpose, hash, session, at: now)
                ?? linkOfClaim(hash, session, at: now)
        case .resetPassword: return try storedLink(purpose, hash, session, at: now)
        case .deleteAccount:
            return try storedLink(purpose, hash, session, at: now)
                ?? linkOfSession(.sessionDeletion, hash, session, at: now)
        case .export:
            return try storedLink(purpose, hash, session, at: now)
                ?? linkOfSession(.sessionExport, hash, session, at: now)
        case .sessionDeletion, .sessionExport:
            return try linkOfSession(purpose, hash, session, at: now)
        case .disownSignIn:
            guard let found = try session.disownable(tokenHash: hash, at: now) else { return nil }
            return UsableLink(
                row: found.row, sealed: found.address.sealed, field: .address, proof: .none,
                end: found.link.expiresAt)
        case .keepSecondFactors:
            guard let row = try session.keepingFactors(tokenHash: hash, at: now),
                let address = row.address,
                let link = try session.link(purpose, tokenHash: hash, at: now)
            else { return nil }
            return UsableLink(
                row: row, sealed: address.sealed, field: .address, proof: .none,
                end: link.expiresAt)
        case .changeEmail: return try linkOfChange(hash, session, at: now)
        case .keepAccount: return try linkOfDeletion(hash, session, at: now)
        }
    }

    /// A link of the table `links`.
    private func storedLink(
        _ purpose: LinkPurpose, _ hash: [UInt8], _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        guard let link = try session.link(purpose, tokenHash: hash, at: now),
            let row = try session.account(link.account),
            purpose == .export ? row.status.isUsable : row.status.mayVerify,
            let address = row.address, address.lookUpKey == link.addressKey
        else { return nil }
        guard purpose != .resetPassword || settings.passwordSignIn == .on else { return nil }
        let proof: LinkOwnerProof =
            switch purpose {
            case .verifyEmail: settings.passwordSignIn == .on ? .password : .session
            case .export: try passwordOrSession(of: row, session)
            case .resetPassword, .deleteAccount, .changeEmail, .keepAccount, .disownSignIn,
                .keepSecondFactors, .sessionDeletion, .sessionExport:
                .none
            }
        return UsableLink(
            row: row, sealed: address.sealed, field: .address, proof: proof, end: link.expiresAt)
    }

    /// A link that an app made in a session, which session still has to confirm. It needs nothing else.
    private func linkOfSession(
        _ purpose: LinkPurpose, _ hash: [UInt8], _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        guard let link = try session.link(purpose, tokenHash: hash, at: now),
            let row = try session.account(link.account), row.status.isUsable,
            let owner = link.about?.name
        else { return nil }
        return UsableLink(
            row: row, sealed: row.address?.sealed, field: .address, proof: .none,
            end: link.expiresAt, session: owner)
    }

    /// What proves the owner of an account where a link needs the account's own password.
    private func passwordOrSession(
        of row: AccountRow, _ session: any SQLSession
    ) throws -> LinkOwnerProof {
        guard settings.passwordSignIn == .on else { return .session }
        return try session.passwordSetAt(row.account) == nil ? .session : .password
    }

    /// The link that confirms a claim, as `ClaimConfirmation` accepts it.
    private func linkOfClaim(
        _ hash: [UInt8], _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        guard settings.passwordSignIn == .on,
            let claim = try session.claim(tokenHash: hash, at: now),
            let row = try session.account(claim.account), row.status.isUsable, row.isGuest,
            row.address == nil, try session.owner(ofAddress: claim.addressKey) == nil,
            try session.mayGuess(at: claim)
        else { return nil }
        return UsableLink(
            row: row, sealed: claim.sealedAddress, field: .claimedAddress, proof: .password,
            end: claim.expiresAt)
    }

    /// The link that confirms a change of address. If another account has taken the address, only
    /// `confirmEmailChange` says so, after the password.
    private func linkOfChange(
        _ hash: [UInt8], _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        guard let change = try session.emailChange(tokenHash: hash, at: now),
            let row = try session.account(change.account), row.status.isUsable,
            try session.mayGuess(at: change)
        else { return nil }
        return UsableLink(
            row: row, sealed: change.sealedAddress, field: .newAddress,
            proof: try passwordOrSession(of: row, session), end: change.expiresAt)
    }

    /// The link that cancels a deletion. One that a suspension holds beyond its time has no end.
    private func linkOfDeletion(
        _ hash: [UInt8], _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        guard let deletion = try writer.deletions.waiting(keepLink: hash, in: session),
            let row = try session.account(deletion.account), let address = row.address
        else { return nil }
        return UsableLink(
            row: row, sealed: address.sealed, field: .address, proof: .none,
            end: now < deletion.dueAt ? deletion.dueAt : nil)
    }

    /// A parent's link, which also shows an answer that was given.
    private func linkOfConsent(
        _ token: LinkToken, _ session: any SQLSession, at now: Timestamp
    ) throws -> UsableLink? {
        let hash = token.hash(ofPage: ParentalConsent.page, keys.links)
        guard let (consent, row) = try session.parentalConsent(shownTo: hash, at: now),
            let sealed = consent.sealedParent
        else { return nil }
        return UsableLink(
            row: row, sealed: sealed, field: .parentEmail, proof: .none,
            end: consent.state.isEnded ? nil : consent.expiresAt)
    }
}

/// A link that can be used, as it was found.
private struct UsableLink: Sendable {
    /// The account that it is about.
    let row: AccountRow
    /// The address that it was mailed to, or that of its account, and where that is stored; nil for
    /// none.
    let sealed: [UInt8]?
    let field: AccountVault.Field
    /// What it needs beside its token.
    let proof: LinkOwnerProof
    /// Nil if no time is set.
    let end: Timestamp?
    /// The session that it ends with; nil for a mailed one.
    var session: String?
}

/// What a link needs beside its token, outside of a session of the account.
private enum LinkOwnerProof: Sendable {
    case none
    case password
    /// There is no password that counts: it works in a session of the account only.
    case session
}

extension LinkPurpose {
    /// The purpose of a message. Nil for none and for an unknown one, and for a parent's: that link
    /// is stored with the consent.
    fileprivate init?(_ message: GatewayV1.LinkPurpose) {
        switch message {
        case .verifyEmail: self = .verifyEmail
        case .resetPassword: self = .resetPassword
        case .changeEmail: self = .changeEmail
        case .deleteAccount: self = .deleteAccount
        case .keepAccount: self = .keepAccount
        case .yourData: self = .export
        case .disownSignIn: self = .disownSignIn
        case .keepSecondFactors: self = .keepSecondFactors
        case .parent, .unspecified, .unrecognized: return nil
        }
    }
}
