import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.accountdata.v1.AccountData` of the rate limiter. Its states are keyed hashes, which are
/// found only by what a request names: the account, its emails and phone numbers. What is counted
/// by address, by device, or by an email at an address is not found, and ends by itself.
/// `Sources/ACCOUNT_DATA.md` lists all tables and files.
struct AccountDataHandler: AccountDataService {
    let limits: LimitsHandler
    let time: any Time

    /// Returns an empty page: hashes name no account.
    func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        guard request.pageToken.isEmpty else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
        return AccountDataV1.ListAccountsWithDataResponse()
    }
}

/// A limit that counts one of an account's subjects now.
struct CountedSubject: Sendable {
    let limit: LimitName
    let name: AccountDataHandler.SubjectName
    /// The decision that a charge would get.
    let verdict: LimitVerdict

    /// Whether it counts messages to an address or a number, which may be another person's.
    var countsMessages: Bool {
        switch limit.definition.wording {
        case .code, .mail: name.deviceLimit != nil
        case .wrongCode, .password, .change, .attempt: false
        }
    }
}

extension AccountDataHandler {
    /// What limits count an account by.
    struct SubjectName: Sendable {
        /// "account", "email" or "phone number".
        let kind: String
        /// As the gateway names it in charges.
        let text: String
        /// The subjects of limits that it may be.
        let subjects: [LimitSubject]
        /// The limit under which its known devices are stored (`TrustedLane.owner`); nil for the
        /// account, whose id is never given again.
        var deviceLimit: LimitName?
    }

    /// The limits that count the account now.
    func counted(_ subject: AccountDataSubject) -> [CountedSubject] {
        let names = Self.names(of: subject)
        let now = time.now()
        let (subjects, policies) = (limits.subjects, limits.policies.value)
        return LimitName.allCases.filter(\.isOperators).flatMap { limit in
            names.filter { $0.subjects.contains(limit.definition.subject) }.compactMap { name in
                var isHeld = false
                let verdict = subjects.apply(.peek, at: now) { ring in
                    let request = subjects.request(
                        limit, name.text, policies.rule(limit), ring, at: now)
                    isHeld = subjects.table.holds(request.key)
                    return [request]
                }
                guard isHeld else { return nil }
                return CountedSubject(limit: limit, name: name, verdict: verdict)
            }
        }
    }

    static func names(of subject: AccountDataSubject) -> [SubjectName] {
        let emails = subject.emails.map { email in
            EmailAddress(email).map { String(decoding: $0.normalised, as: UTF8.self) } ?? email
        }
        let account = SubjectName(
            kind: "account", text: subject.account.text, subjects: [.account, .accountOrEmail])
        let proofs = TOTPLane.allCases.map {
            SubjectName(
                kind: "account", text: $0.subject(of: subject.account.text),
                subjects: [.accountAndProof])
        }
        return [account] + proofs
            + emails.map {
                SubjectName(
                    kind: "email", text: $0, subjects: [.email, .accountOrEmail],
                    deviceLimit: .failedSignInByAccount)
            }
            + subject.phoneNumbers.map {
                SubjectName(
                    kind: "phone number", text: $0, subjects: [.phoneNumber],
                    deviceLimit: .phoneCodeGuess)
            }
    }
}
