import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Shuts a thief out by the link of a mail about a sign-in, a new device or an added method
    /// (N-01): "this was not me". One transaction:
    ///
    ///     link                        used; the account's others stay, each is in another mail
    ///     sessions, push devices      all end
    ///     the method in the link      removed, also as the last one
    ///     a passkey in the link       removed, with all that were added since, which it may have
    ///                                 confirmed
    ///     a first second factor in    all second factors and the recovery codes are removed: what was
    ///     the link                    added since was confirmed by that one
    ///     password                    counts no more (`IdentityTables.passwordCounts`)
    ///     known devices               forgotten; the gateway forgets them at the limiter
    ///     pending changes             cancelled
    ///     a deletion that waits       cancelled
    ///     mail                        as `DisownRule`
    ///
    /// Attack: a thief has only added a method of the thief's own, and the owner signs in with
    /// another or with none that is left. If the last method stayed, the thief would stay in. The
    /// address is proved, so a reset gives the owner a way in.
    ///
    /// Attack: a thief of the password sets up a first second factor, and a second one by it, so that
    /// the owner is locked out for good. The link about the first removes both, for as long as it works;
    /// it goes with the last factor.
    ///
    /// Attack: somebody reads an old mail in the owner's mailbox. The link opens nothing, and its
    /// response has no token. A reset link is mailed instead, which lives an hour: otherwise this
    /// one would be a reset link of seven days. Such a reader can sign the owner out.
    ///
    /// Attack: a scanner opens every link of a mail. This one's page asks, and calls by a form.
    func disownSignIn(
        _ request: GatewayV1.DisownSignInRequest, _ context: CallContext
    ) async throws -> IdentityV1.DisownSignInResponse {
        guard let token = LinkToken(request.token) else { throw ServiceError(.invalidLink) }
        let hash = token.hash(.disownSignIn, keys.links)
        let origin = CallOrigin(context, keys)
        // The fingerprint has no account: a repeat cannot be asked for it, since its link is used
        // up.
        let repeatable = try RepeatableCall(
            CredentialsDescription.disownSignIn, request, proving: hash, context, keys)
        let reset = LinkToken.drawn(from: randomness)
        let row = try await store.write(about: []) { transaction -> AccountRow? in
            let account = try transaction.locked {
                try transaction.disownable(tokenHash: hash, at: transaction.at)?.row.account
            } about: {
                .account($0)
            }
            // After the lock: the first of two calls at once has used the link.
            if let first = try transaction.storedResponse(of: repeatable) {
                return try transaction.account(AccountID(stored: first.account))
            }
            guard account != nil,
                let found = try transaction.disownable(tokenHash: hash, at: transaction.at)
            else { throw ServiceError(.invalidLink) }
            try disown(found.row, by: found.link, from: origin, reset, transaction)
            try transaction.remember(repeatable, .init(account: found.row.account.key))
            return found.row
        }
        return IdentityV1.DisownSignInResponse(
            email: try row.flatMap { try reader.address($0)?.entered } ?? "",
            accountId: row?.account.text ?? "")
    }

    private func disown(
        _ row: AccountRow, by link: Link, from origin: CallOrigin, _ reset: LinkToken,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        try transaction.removeLink(link)
        try transaction.audit(.signInDisowned, account, from: origin)
        let disowned = link.about.flatMap { row.methods.contains($0) ? $0 : nil }
        if let disowned {
            try MethodRemoval(writer: writer, transaction: transaction)
                .run(disowned, from: row, DeviceShown(nil, from: origin), origin: origin)
        }
        if link.isAboutSecondFactors {
            try transaction.removeSecondFactors(of: account)
            try transaction.audit(.secondFactorRemoved, account, from: origin)
        }
        try PasskeyRemoval(writer: writer, transaction: transaction)
            .run(
                transaction.passkeys(disownedBy: link), from: row,
                DeviceShown(nil, from: origin), origin: origin)
        let hasPasskey = try !transaction.passkeys(of: account).isEmpty
        let hasPassword = try transaction.disownPassword(of: account)
        try transaction.removeChallenges(of: account)
        try transaction.removeKnownDevices(of: account)
        try transaction.cancelPendingChanges(of: account)
        if try writer.deletions.cancel(of: account, from: origin, transaction) {
            try notices.deletionCancelled(account, transaction)
        }
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        try transaction.enqueue(outbox.revokeDevices(account))
        let left = row.methods.filter {
            $0 != .password && $0 != disowned && (hasPasskey || $0 != .passkey)
        }
        try mail(
            DisownRule.mail(
                hasPassword: hasPassword, left: left,
                mayReset: settings.passwordSignIn == .on),
            to: row, left, origin, reset, transaction)
    }

    private func mail(
        _ mail: DisownRule.Mail?, to row: AccountRow, _ left: [SignInMethod], _ origin: CallOrigin,
        _ reset: LinkToken, _ transaction: Transaction
    ) throws {
        switch mail {
        case nil: return
        case .signInAgain:
            try notices.write(
                .signInDisowned, to: row.account, DeviceShown(nil, from: origin),
                with: [.methods(left)], transaction)
        case .reset:
            guard
                let mail = try LinkMail(
                    .resetPassword, reset, to: row, settings, writer, at: transaction.at,
                    until: transaction.at + settings.resetLife)
            else { return }
            try transaction.send(mail)
            try transaction.audit(.passwordResetMailed, row.account, from: origin)
        }
    }
}

/// Decides which mail the owner of an account gets who has disowned a sign-in. Pure:
///
///     the account had a password    methods that are left beside it    mail
///     yes, or one that was          any                                a link to set one
///     disowned before
///     no                            some                               sign in again
///     no                            none                               a link to set a password
///
/// Where passwords are switched off, a link to set one would open nothing: the owner is asked to sign
/// in again by what is left, and gets no mail if that is nothing.
enum DisownRule {
    /// The mail to the owner.
    enum Mail: Hashable, Sendable {
        /// `reset-password`.
        case reset
        /// `sign-in-disowned`.
        case signInAgain
    }

    /// - Parameters:
    ///   - left: The account's methods beside the password.
    ///   - mayReset: Passwords are switched on.
    /// - Returns: nil for no mail.
    static func mail(hasPassword: Bool, left: [SignInMethod], mayReset: Bool) -> Mail? {
        guard mayReset else { return left.isEmpty ? nil : .signInAgain }
        return hasPassword || left.isEmpty ? .reset : .signInAgain
    }
}
