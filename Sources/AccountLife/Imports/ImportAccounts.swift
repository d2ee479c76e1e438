import Cryptography
import IdentityService
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension ImportsHandler {
    /// Imports a batch of accounts (I-03): reads, seals, decides, writes, answers.
    ///
    /// One transaction for each batch, so that a million accounts need some thousands of commits. A
    /// rejected record is a part of the response, and does not affect the others. If a batch is
    /// sent again, because its response was lost or the tool was killed, its accounts are found by
    /// their external ids and nothing changes.
    package func importAccounts(
        _ request: IdentityV1.ImportAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ImportAccountsResponse {
        try context.requireOperator()
        guard (1...Self.accountsMax).contains(request.accounts.count) else {
            throw ServiceError(.invalidArgument, fields: ["accounts"])
        }
        let prepared = try await prepare(request)
        // A refused record has no scheme; its refusal is in the response.
        let schemes = Set(prepared.compactMap { try? $0.get().scheme })
        if !request.dryRun {
            // Measure each scheme before the first sign-in that could use it.
            try await responseTimeFloor.add(schemes.map { try PasswordScheme(name: $0) })
        }
        let answers = try await write(
            prepared, isDryRun: request.dryRun, by: context.application)
        return IdentityV1.ImportAccountsResponse(answers: answers)
    }

    private typealias Prepared = Result<ImportedAccount, ImportRule.Refusal>

    private func prepare(
        _ request: IdentityV1.ImportAccountsRequest
    ) async throws -> [Prepared] {
        let terms = ImportCandidate.Terms(
            source: request.source, isEmailTrusted: !request.emailsUnproved,
            defaultLanguage: settings.defaultLanguage, takenAt: time.now(),
            passkeys: settings.passkeys)
        let projects = try await projects.all()
        return try request.accounts.map { record in
            let candidate: ImportCandidate
            do throws(ImportRule.Refusal) {
                candidate = try ImportCandidate(record, terms)
                try Self.check(candidate.password, projects)
            } catch {
                return .failure(error)
            }
            return .success(
                try ImportedAccount(candidate, rowKeys, writer: writer, passwords: passwords))
        }
    }

    /// A Firebase hash cannot be verified without its project's parameters.
    private static func check(
        _ password: StoredPassword?, _ projects: [Int64: FirebaseProject]
    ) throws(ImportRule.Refusal) {
        guard let id = password?.firebaseProject else { return }
        let reason: PasswordHashError? =
            if let project = projects[id] {
                project.signerKey.count == password?.hashBytes ? nil : .badLength
            } else {
                .projectMissing
            }
        guard let reason else { return }
        throw ImportRule.Refusal(
            code: .invalidArgument, field: "password_hash", reason: reason.rawValue)
    }

    /// Rolls a dry run's transaction back.
    private struct DryRun: Error {
        let answers: [IdentityV1.ImportAnswer]
    }

    private func write(
        _ prepared: [Prepared], isDryRun: Bool, by actor: String
    ) async throws -> [IdentityV1.ImportAnswer] {
        let accounts = prepared.compactMap {
            if case .success(let new) = $0 { new.account } else { nil }
        }
        do {
            return try await store.write(about: accounts.map(Subject.account)) { transaction in
                let answers = try prepared.map { try admit($0, transaction) }
                if isDryRun { throw DryRun(answers: answers) }
                let created = answers.count { $0.outcome == .created }
                if created > 0 {
                    try transaction.audit(
                        AuditEvent(.accountsImported, attempt: Int64(created)).by(actor))
                }
                return answers
            }
        } catch let dryRun as DryRun {
            return dryRun.answers
        }
    }

    private func admit(
        _ prepared: Prepared, _ transaction: Transaction
    ) throws -> IdentityV1.ImportAnswer {
        let new: ImportedAccount
        switch prepared {
        case .success(let account): new = account
        case .failure(let refusal): return refusal.answer
        }
        switch ImportRule.decide(try transaction.found(new)) {
        case .leave(let account):
            return IdentityV1.ImportAnswer(outcome: .unchanged, accountId: account.text)
        case .refuse(let refusal): return refusal.answer
        case .create:
            try transaction.insert(new)
            return IdentityV1.ImportAnswer(
                outcome: .created, accountId: new.account.text, altered: new.altered)
        }
    }
}
