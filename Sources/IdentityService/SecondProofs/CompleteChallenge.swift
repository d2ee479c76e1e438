import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// Completes a sign-in by its second proof (F-03): verifies what needs no transaction, and then in
    /// one transaction reads the challenge again, counts and decides, uses the challenge up, and does
    /// what the first proof would have done. A wrong proof is counted in the transaction that
    /// discloses it.
    ///
    /// Attack: many parallel guesses, of which each has read the count before any has written it. The
    /// account is the subject of the transaction, so they are decided one after the other.
    func completeChallenge(
        _ request: GatewayV1.CompleteSignInRequest, _ context: CallContext
    ) async throws -> IdentityV1.CompleteChallengeResponse {
        try context.requireGateway()
        let shown = try ShownProof(request.proof)
        let caller = try await owners.calling(in: context)
        return try await untilUnchanged {
            let prepared = try await prepare(shown, for: request, context)
            let completion = try ChallengeAnswer(
                request, shown.kind, prepared, proving: prepared.evidence(shown, keys),
                in: caller, context, keys)
            if let again = try await answerAgain(completion) { return again }
            // In a session that cannot be used, only a repeat is answered.
            if let caller { _ = try caller.owner.get() }
            guard let written = try await self.written(completion) else { return nil }
            outcomes.count(completion.kind, written.counted)
            if case .passkey(.failure(let failure)) = completion.prepared {
                throw passkeys.error(of: failure)
            }
            let done = try written.outcome.get()
            if done.committed.guest != nil { writer.guests.wake() }
            return try await answer(done, completion)
        }
    }

    /// As `write`. Whatever error it has, a right password takes as long as a wrong one until then.
    /// Attack: passwords beyond the fifth get the same error, and their times would tell them apart.
    private func written(_ completion: ChallengeAnswer) async throws -> Written? {
        func waitOut() async throws {
            guard case .password(_, _, let begun) = completion.prepared else { return }
            try await passwords.responseTimeFloor.waitOut(from: begun)
        }
        do {
            let written = try await write(completion)
            if case .failure? = written?.outcome { try await waitOut() }
            return written
        } catch let error as ServiceError {
            try await waitOut()
            // A store that has not written says "not processed", but a proof may have been compared.
            throw error.notProcessed ? error.afterComparison : error
        }
    }

    /// What is verified before the transaction.
    /// - Throws: `rpc/resource-exhausted` and others that say nothing about the proof.
    private func prepare(
        _ shown: ShownProof, for request: GatewayV1.CompleteSignInRequest, _ context: CallContext
    ) async throws -> PreparedProof {
        let device = ChallengedCall(
            context, deviceID: request.device?.deviceId ?? "", keys
        ).device
        let token = ChallengeToken(text: request.challenge)
        let now = time.now()
        // Nothing is hashed, and no provider is asked, for a challenge that cannot be answered.
        let (account, holder) = try await store.read { session in
            let found = try self.found(token, on: device, or: .used, in: session, at: now)
            // Begun by a password or a reset before passwords were switched off (G-36).
            if found.details.method == SignInMethod.password.name { try passwords.requireOn() }
            guard found.challenge.kinds.contains(shown.kind) else {
                throw ServiceError(.invalidArgument, fields: [shown.kind.rawValue])
            }
            let account = found.row.account
            return (account, try session.passwordHolder(account))
        }
        switch shown {
        case .password(let entered):
            try await passwords.responseTimeFloor.requireTime(until: context.deadline)
            guard let password = Password(entered: entered) else {
                return .password(holder, isRight: false, begun: time.uptime())
            }
            let verdict = try await passwords.verdict(password, of: holder)
            return .password(holder, isRight: verdict.isRight, begun: verdict.begun)
        case .provider(let token):
            do {
                return .provider(.success(try await tokens.identity(provedBy: token)))
            } catch let error as ServiceError
                where error.code == .invalidProviderToken || error.code == .invalidNonce
            {
                return .provider(.failure(error))
            }
        case .code(_, let entered):
            return .code(
                PhoneCode(typed: entered.withBytes { String(decoding: $0, as: UTF8.self) }))
        case .factor(_, let shown): return .factor(shown)
        case .passkey(let credential):
            guard let token else { throw ServiceError(.invalidChallenge) }
            return .passkey(
                try await passkeys.verified(
                    credential, for: [.signInProof(token.hash(keys))], of: account))
        }
    }

    /// What a transaction came to.
    private struct Written: Sendable {
        let outcome: Result<CompletedSignIn, ServiceError>
        let counted: SecondProofOutcomes.Outcome
    }

    /// - Returns: nil when the account changed during the comparison. A rejection is returned and not
    ///   thrown, because an error would roll back the count.
    private func write(_ completion: ChallengeAnswer) async throws -> Written? {
        let now = time.now()
        let account = try await store.read {
            try self.found(
                completion.token, on: completion.device, or: .used, in: $0, at: now
            ).row.account
        }
        // Also when the caller has gone. Attack: proofs are tried with deadlines that leave no count.
        return try await store.write(
            about: [.account(account)] + completion.caller.subjects, evenIfCancelled: true
        ) { transaction in
            // The first of two calls may have been committed meanwhile.
            guard try transaction.remembered(of: completion.repeatable) == nil else { return nil }
            let found = try self.found(
                completion.token, on: completion.device, in: transaction, at: transaction.at)
            if let caller = completion.caller {
                try transaction.requireLive(caller.owner.get())
            }
            let verdict = try self.verdict(completion, found, transaction)
            switch verdict {
            case .changed: return nil
            case .right:
                return Written(
                    outcome: try complete(completion, found, transaction), counted: .right)
            case .wrong(let code), .refused(let code):
                let isWrong = verdict == .wrong(code)
                try refuse(code, isCounted: isWrong, completion, found, transaction)
                return Written(
                    outcome: .failure(verdict.error ?? ServiceError(code)),
                    counted: isWrong ? .wrong : .refused)
            }
        }
    }

    private func verdict(
        _ completion: ChallengeAnswer, _ found: Found, _ transaction: Transaction
    ) throws -> PreparedProof.Verdict {
        let challenge = found.challenge
        switch completion.prepared {
        case .password(let checked, let isRight, _):
            let holder = try transaction.passwordHolder(challenge.account)
            guard holder?.sealedHash == checked?.sealedHash else { return .changed }
            return isRight ? .right : .wrong(.invalidCredential)
        case .provider(.failure(let error)): return .wrong(error.code)
        case .provider(.success(let proved)):
            if let nonce = proved.nonce, try !transaction.use(nonce) {
                return .wrong(.invalidNonce)
            }
            // One that is linked, and is another channel than the first proof.
            let independent = try reader.secondProofs(
                of: found.row, settings, in: transaction, at: transaction.at
            ).providers(independentOf: found.firstProof(keys))
            let known = try transaction.identity(lookUpKey: keys.lookUpKey(of: proved))
            return known?.account == challenge.account && independent.contains(proved.method.name)
                ? .right : .wrong(.methodNotLinked)
        case .code(let code):
            let refusal = ChallengeRule.refusal(
                challenge.code, completion.kind, at: transaction.at)
            if let refusal { return .refused(refusal) }
            guard let sent = challenge.code, let code, challenge.isRight(code, sent, keys) else {
                return .wrong(.invalidCode)
            }
            return .right
        case .factor(let shown):
            let isRight = try FactorProof(settings: settings, writer: writer).use(
                shown, of: found.row, on: completion.signInDevice.shown, from: completion.origin,
                transaction)
            return isRight ? .right : .wrong(.invalidCode)
        // No guess, so it is not counted.
        case .passkey(.failure(let failure)): return .refused(failure.code)
        case .passkey(.success(let verified)):
            switch try passkeys.use(
                verified, on: completion.signInDevice.shown, from: completion.origin, transaction)
            {
            case .used: return .right
            case .changed: return .changed
            case .refused: return .refused(.invalidPasskey)
            }
        }
    }

    /// Records a rejection, and counts it if it was compared. The fifth one tells the owner: somebody
    /// has the first proof.
    private func refuse(
        _ code: ErrorCode, isCounted: Bool, _ completion: ChallengeAnswer, _ found: Found,
        _ transaction: Transaction
    ) throws {
        let account = found.row.account
        try transaction.audit(
            .signInFailed, account, detail: .method(found.details.method),
            from: completion.origin, outcome: code)
        guard isCounted,
            try transaction.countAttempt(at: found.challenge) >= ChallengeRule.attemptsMax
        else { return }
        try notices.write(
            .secondProofFailed, to: account, completion.signInDevice.shown,
            with: [.method(found.details.firstMethod)], transaction)
    }

    // MARK: right

    private func complete(
        _ completion: ChallengeAnswer, _ found: Found, _ transaction: Transaction
    ) throws -> Result<CompletedSignIn, ServiceError> {
        let (row, details) = (found.row, found.details)
        if let code = SignInRule.refusal(of: row.status, isPasswordRight: true),
            !(details.isReset && row.status.mayVerify)
        {
            return .failure(ServiceError(code))
        }
        if found.challenge.reasons.contains(.numberChanged) {
            try confirmNumber(completion, found, transaction)
        }
        let admitted = try SignInAdmission.complete(
            found.challenge, of: row, first: details.amr, second: completion.secondProof,
            transaction)
        guard let admitted else { return .failure(ServiceError(.invalidChallenge)) }
        let guest = details.sameGuest(completion.caller)
        let outcome: Result<CompletedSignIn, ServiceError>
        if let proved = details.proved {
            outcome = try finish(admitted, by: proved, completion, found, guest, transaction)
        } else {
            outcome = .success(
                details.isReset
                    ? try finishReset(admitted, completion, details, guest, transaction)
                    : try finishPassword(admitted, completion, details, guest, transaction))
        }
        if case .success(let done) = outcome {
            try transaction.remember(completion.repeatable, done.stored.encoded())
        }
        return outcome
    }

    /// The second proof is independent of the number, so its owner still has it.
    private func confirmNumber(
        _ completion: ChallengeAnswer, _ found: Found, _ transaction: Transaction
    ) throws {
        try transaction.lock(.hash(found.details.numberKey))
        try transaction.confirmNumber(found.details.numberKey)
        try transaction.audit(
            .phoneNumberConfirmed, found.row.account, from: completion.origin,
            subject: found.details.proved.map { keys.subject(of: $0) })
    }

    private func finishPassword(
        _ admitted: AdmittedSignIn, _ completion: ChallengeAnswer,
        _ details: IdentityV1.WaitingSignIn, _ guest: CallingSession?, _ transaction: Transaction
    ) throws -> CompletedSignIn {
        let row = admitted.row
        let (history, settled) = try PasswordSignIn(settings: settings, answers: signIn.answers)
            .write(
                row, by: details.firstMethod,
                upgrade: details.passwordHash.isEmpty ? nil : details.passwordHash,
                on: completion.signInDevice, from: completion.origin,
                subject: try reader.address(row).map { keys.subject(of: $0) }, guest: guest,
                transaction)
        return CompletedSignIn(
            committed: CommittedSignIn(
                admitted, history, settled, provedAt: transaction.at), forgetsDevices: false)
    }

    private func finishReset(
        _ admitted: AdmittedSignIn, _ completion: ChallengeAnswer,
        _ details: IdentityV1.WaitingSignIn, _ guest: CallingSession?, _ transaction: Transaction
    ) throws -> CompletedSignIn {
        let done = try PasswordReset(settings: settings, answers: signIn.answers).write(
            details.passwordHash, of: admitted, on: completion.signInDevice,
            from: completion.origin, guest: guest, transaction)
        return CompletedSignIn(
            committed: CommittedSignIn(
                done.admitted, done.history, done.guest,
                provedAt: transaction.at + ProofIssuer.afterEnd),
            forgetsDevices: done.forgetsDevices)
    }

    private func finish(
        _ admitted: AdmittedSignIn, by proved: ProvedIdentity, _ completion: ChallengeAnswer,
        _ found: Found, _ guest: CallingSession?, _ transaction: Transaction
    ) throws -> Result<CompletedSignIn, ServiceError> {
        let call = FederatedSignInCall(
            from: completion.origin, on: completion.shownDevice, language: found.row.language,
            acceptance: Acceptance(nil), in: guest, challenged: completion.call,
            repeatable: nil)
        var writing = FederatedSignInTransaction(signIn, proved, call, transaction)
        switch try writing.complete(admitted) {
        case .signedIn(let committed)?:
            return .success(CompletedSignIn(committed: committed, forgetsDevices: false))
        case .refused(let code)?: return .failure(ServiceError(code))
        case .challenged, .undecided, nil: return .failure(ServiceError(.invalidChallenge))
        }
    }
}
