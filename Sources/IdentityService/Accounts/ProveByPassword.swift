import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Re-authenticates the owner of the calling session by the account's password (G-13): resolves
    /// the access token, compares, writes, issues a proof that opens no session.
    ///
    /// Attack: somebody who has a password, and a gateway under their control, says that it is typed
    /// in the account's own session, where no second proof is asked for. So identity resolves the
    /// token itself, and the password is that of its account, whatever address anybody names.
    func proveByPassword(
        _ request: IdentityV1.ProveByPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByPasswordResponse {
        guard let shown = request.reauthentication, case .password(let entered) = shown.proof else {
            throw ServiceError(.invalidArgument, fields: ["password"])
        }
        try passwords.requireOn()
        let owner = try await owners.owner(in: context)
        // An account without an address has no password.
        guard let row = try await store.read({ try $0.account(owner.account) }),
            let address = try reader.address(row)
        else { throw ServiceError(.invalidCredential) }
        let attempt = try SignInAttempt(
            entered, of: address, on: shown.device, isInOwnSession: true,
            chargeID: request.chargeId,
            RepeatableCall(
                AccountsDescription.proveByPassword, request, by: owner.session, context, keys),
            context, keys)
        try await requireAnswerable(attempt, of: owner)
        try await passwords.responseTimeFloor.requireTime(until: context.deadline)
        let (proved, moment) = try await untilUnchanged { try await check(attempt, of: owner) }
        return IdentityV1.ProveByPasswordResponse(
            proof: proofs.reauthentication(
                of: owner, proved, by: .password, authenticatedAt: nil, provedAt: moment))
    }

    /// Rejects a guess that is void, a call whose idempotency key belongs to another request, and one
    /// of an ended session, before anything is compared, as for a sign-in.
    private func requireAnswerable(
        _ attempt: SignInAttempt, of owner: SessionOwner
    ) async throws {
        let now = time.now()
        try await store.read { session in
            try session.requireNotVoid(attempt.guess)
            _ = try session.storedResponse(of: attempt.repeatable, at: now)
            try session.requireLive(owner)
        }
    }

    /// - Returns: the account and the time of the proof; nil when the account changed during the
    ///   check.
    private func check(
        _ attempt: SignInAttempt, of owner: SessionOwner
    ) async throws -> (AccountRow, Timestamp)? {
        let holder = try await store.read { try $0.passwordHolder(owner.account) }
        let verdict = try await passwords.verdict(attempt.password, of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: verdict.isRight) {
            throw try await attempt.refused(code, holder, store)
        }
        guard let holder else { throw ServiceError(.invalidCredential) }
        let upgrade = try await passwords.upgrade(attempt.password, of: holder)
        do {
            return try await record(attempt, holder, upgrade, of: owner)
        } catch let error as ServiceError {
            // After a wrong password the error comes at the end of this minimum too.
            try await passwords.responseTimeFloor.waitOut(from: verdict.begun)
            throw error.afterComparison
        }
    }

    /// - Returns: nil when the password was replaced, or the account disabled, while the hash ran.
    private func record(
        _ attempt: SignInAttempt, _ checked: PasswordHolder, _ upgrade: [UInt8]?,
        of owner: SessionOwner
    ) async throws -> (AccountRow, Timestamp)? {
        try await store.write(about: [.account(owner.account)], evenIfCancelled: true) {
            transaction in
            try transaction.requireNotVoid(attempt.guess)
            guard let holder = try transaction.passwordHolder(owner.account),
                holder.row.status.isUsable, holder.sealedHash == checked.sealedHash
            else { return nil }
            try transaction.requireLive(owner)
            if try transaction.storedResponse(of: attempt.repeatable) != nil {
                return (holder.row, transaction.at)
            }
            if let upgrade {
                try transaction.upgradePassword(owner.account, sealedHash: upgrade)
            }
            try SignInRecorder(settings: settings, writer: writer)
                .recordDevice(
                    attempt.device, by: .password, of: owner.account, from: attempt.origin,
                    transaction)
            try transaction.audit(
                .signInSucceeded, owner.account, detail: .method(SignInMethod.password.name),
                from: attempt.origin, subject: attempt.subject)
            try transaction.remember(
                attempt.repeatable, .init(repeatedByPasswordOf: holder.row))
            return (holder.row, transaction.at)
        }
    }
}
