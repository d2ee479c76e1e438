import Messages
import RPC
import ServiceRuntime
import Storage

/// Signs in by what a provider's token or a code has proved (G-04 … G-07, G-15): the one way in for
/// all of them. `LinkingRule` decides which account it is, `FederatedSignInTransaction` writes it.
///
/// All is one transaction: the first answer to the same call, the nonce, the decision and what
/// follows from it. So of two parallel first sign-ins the second one finds what the first has
/// written.
struct FederatedSignIn: Sendable {
    let parts: IdentityParts

    /// Decisions of one call. On an engine with several writers another sign-in can get in between
    /// look and write; an index then says so, and what is there by now is decided anew.
    private static let triesMax = 5

    /// - Throws: `auth/user-disabled`, `auth/email-not-verified`, `auth/already-signed-in`,
    ///   `auth/email-already-in-use`, `auth/missing-or-invalid-nonce`,
    ///   `auth/idempotency-key-reused`; `auth/invalid-access-token` where the guest is gone,
    ///   `auth/session-ended` where its session is.
    func admit(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> IdentityV1.AdmissionResponse {
        for _ in 0..<Self.triesMax {
            switch try await write(proved, call) {
            case .admitted(let admitted): return try answer(admitted, proved)
            case .refused(let code): throw ServiceError(code)
            case .undecided: continue
            }
        }
        throw ServiceError(.unavailable, detail: "the account changed under each decision")
    }

    /// Admits by a call that may carry a guest's access token.
    ///
    /// The session of a guest is over once it was upgraded, so a repeat cannot show it again: what
    /// was done is looked for before the token is refused (G-25).
    /// - Throws: also as `SessionOwners.owner`.
    func admit(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall, askedBy guestAccessToken: String,
        _ owners: SessionOwners, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        guard !guestAccessToken.isEmpty else { return try await admit(proved, call) }
        var call = call
        do {
            call.guest = try await owners.owner(of: guestAccessToken, context)
        } catch let refused as ServiceError {
            guard let again = try await answerAgain(proved, call) else { throw refused }
            return again
        }
        return try await admit(proved, call)
    }

    private func answerAgain(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> IdentityV1.AdmissionResponse? {
        guard call.call != nil else { return nil }
        let again = try await parts.store.write { transaction in
            try FederatedSignInReplay(parts: parts, transaction: transaction).admitted(proved, call)
        }
        return try again.map { try answer($0, proved) }
    }

    private func write(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> FederatedSignInOutcome {
        do {
            return try await parts.store.write { transaction in
                var writing = FederatedSignInTransaction(
                    parts: parts, proved: proved, call: call, transaction: transaction)
                return try writing.run()
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            return .undecided
        }
    }

    private func answer(
        _ admitted: CommittedSignIn, _ proved: ProvedIdentity
    ) throws -> IdentityV1.AdmissionResponse {
        let reading = AccountReader(parts: parts)
        var answer = admitted.record.message
        answer.account = try reading.message(
            admitted.row, lastSignInAt: admitted.record.lastSignInAt)
        answer.proof = ProofIssuer(parts: parts).proof(
            admitted.row.account, by: proved.amr, provedAt: admitted.provedAt)
        answer.collision?.guest = try admitted.guest.map { try reading.message($0) }
        return answer
    }
}

/// How a transaction went.
enum FederatedSignInOutcome: Sendable {
    case admitted(CommittedSignIn)
    /// What was refused is recorded, and its nonce used up.
    case refused(ErrorCode)
    /// Somebody wrote in between: decide anew.
    case undecided
}

/// A sign-in that is on disk.
struct CommittedSignIn: Sendable {
    let row: AccountRow
    let record: FederatedSignInRecord
    /// After the end of the account's sessions, where this ended them.
    let provedAt: Timestamp
    /// The guest that asked and is another account, as it is; nil for none.
    let guest: AccountRow?
}
