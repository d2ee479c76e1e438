import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Admin`: account administration for the operator's tool, and for an
/// application's support desk, whose calls the gateway passes on (I-09).
struct AccountAdminHandler: AdminService, AccountWriting {
    let settings: AccountLifeSettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let answers: AccountAnswers
    let logger: Logger
    let deletions: DeletionContext
    /// Searches unused guests, and has the session service's view of the use of accounts.
    let guests: UnusedGuestSearch
    /// What happened with accounts.
    let history: ActivityHistory
    /// Repairs orphans, and has what the checks have found.
    let orphans: OrphanRepair
}

/// The operator's view of an account.
extension AccountAdminHandler {
    /// The message for an account's row.
    /// - Parameter showsPersonal: Whether email, phone number, name and picture were requested.
    ///   Otherwise they are masked or left out.
    func message(
        _ row: AccountRow, _ facts: AccountFacts, _ suspension: Suspension?, showsPersonal: Bool
    ) throws -> GatewayV1.AdminAccount {
        var account = try answers.answer(row, facts, lastSignInAt: row.lastSignInAt).account
        if !showsPersonal {
            account.email = MaskedText.email(account.email)
            account.phoneNumber = MaskedText.phone(account.phoneNumber)
            account.displayName = ""
            account.photoUrl = ""
        }
        let vault = try reader.vault(row)
        return GatewayV1.AdminAccount(
            account: account,
            suspension: try suspension.map {
                GatewayV1.Suspension(
                    reason: try vault.open($0.sealedReason, .suspensionReason),
                    suspendedAtMs: $0.since.milliseconds)
            }, privacy: row.consents.privacy)
    }

    /// The account as of this transaction, without personal data.
    /// - Throws: `rpc/not-found`.
    func message(
        _ account: AccountID, _ transaction: Transaction
    ) throws -> GatewayV1.AdminAccount {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return try message(
            row, try answers.facts(row, in: transaction), try transaction.suspension(account),
            showsPersonal: false)
    }
}

extension AccountAdminHandler {
    /// Masks addresses and phone numbers for operators who did not request personal data. The
    /// result is enough to recognise an address that a person has just named, and too little to
    /// write to it.
    enum MaskedText {
        /// `ada@example.org` → `a…@example.org`.
        static func email(_ address: String) -> String {
            guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@"
            else {
                return address.isEmpty ? "" : "…"
            }
            return "\(first)…\(address[at...])"
        }

        /// `+4915112345678` → `+49…78`. Country codes have up to three digits; two of them are
        /// enough.
        static func phone(_ number: String) -> String {
            // In a shorter number, both ends together would be most of the number.
            guard number.count >= 8 else { return number.isEmpty ? "" : "…" }
            return "\(number.prefix(3))…\(number.suffix(2))"
        }
    }
}

extension AccountAdminHandler {
    private static let guestsMax: Int64 = 200
    private static let dayMilliseconds: Int64 = 86_400_000

    /// Lists guests without a live session, for an operator (I-04). A page shows the unused ones
    /// among two hundred guests.
    func listUnusedGuests(
        _ request: GatewayV1.ListUnusedGuestsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListUnusedGuestsResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let after = try PageToken.place(request.pageToken, parts: 1) { AccountID(text: $0[0]) }
        let rule = try await guests.rule()
        let page = try await guests.page(
            after: after, limit: Self.guestsMax, rule, context.onward())
        return GatewayV1.ListUnusedGuestsResponse(
            guests: page.guests.map {
                GatewayV1.UnusedGuest(
                    accountId: $0.account.text, lastSeenAtMs: $0.lastSeenAt?.milliseconds ?? 0,
                    deletedAtMs: $0.deletedAt?.milliseconds ?? 0)
            }, nextPageToken: page.next?.text ?? "",
            keptDays: UInt32(clamping: (rule.kept?.milliseconds ?? 0) / Self.dayMilliseconds))
    }

    private static let deletionsMax = 200

    /// Lists the deletions that wait or are under way for an operator (G-20), in pages.
    func listDeletions(
        _ request: GatewayV1.ListDeletionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDeletionsResponse {
        _ = try AdminCaller(context, actor: "", settings)
        let last = try PageToken.place(request.pageToken, parts: 2) {
            parts -> (requestedAt: Timestamp, account: AccountID)? in
            guard let milliseconds = Int64(parts[0]), let account = AccountID(text: parts[1])
            else { return nil }
            return (Timestamp(milliseconds: milliseconds), account)
        }
        let found = try await store.read { try $0.deletions(after: last, limit: Self.deletionsMax) }
        let overdueBefore = time.now() - settings.deletion.overdue
        let isFull = found.count == Self.deletionsMax
        return GatewayV1.ListDeletionsResponse(
            deletions: found.map { $0.adminMessage(overdueBefore: overdueBefore) },
            nextPageToken: isFull
                ? found.last.map {
                    PageToken.text("\($0.requestedAt.milliseconds)", $0.account.text)
                } ?? "" : "")
    }

    /// Repairs an orphan for an operator, after it was checked again (I-04, I-09). An orphan of a
    /// kind without a repair is refused.
    func repairOrphan(
        _ request: GatewayV1.RepairOrphanRequest, _ context: CallContext
    ) async throws -> GatewayV1.RepairOrphanResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        let kind = try OrphanKind.required(request.kind)
        let isRepaired =
            switch kind.repair {
            case .giveProfile: try await orphans.giveProfile(to: account, by: caller)
            case .forgetData: try await orphans.forgetData(kind, of: account, by: caller, context)
            case .removeRow: try await orphans.removeRow(kind, of: account, by: caller)
            case nil: throw ServiceError(.invalidArgument, fields: ["kind"])
            }
        return GatewayV1.RepairOrphanResponse(repaired: isRepaired)
    }

    /// Lifts a suspension (I-09), also a parent's: then the deletion that waits is cancelled, and
    /// another parent is needed (`Transaction.keepWithoutParent`).
    func restoreAccount(
        _ request: GatewayV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.RestoreAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        return try await store.write(about: [.account(account)]) { transaction in
            let isWithdrawn = try transaction.standing(account)?.isWithdrawn ?? false
            let isKept =
                try isWithdrawn
                && transaction.cancelDeletion(of: account, from: CallOrigin(nil, hash: keys.audit))
            let changed = try transaction.apply(.restore, account) || isKept
            if changed {
                try transaction.removeSuspension(of: account)
                try notifyOwner(.accountRestored, account, transaction)
                try transaction.audit(
                    AuditEvent(.accountRestored, account: account.key).by(caller))
            }
            return GatewayV1.RestoreAccountResponse(
                account: try message(account, transaction), changed: changed)
        }
    }

    /// Ends all sessions of an account.
    func signOutAccount(
        _ request: GatewayV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        try await store.write(about: [.account(account)]) { transaction in
            guard try transaction.standing(account) != nil else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            try transaction.endSessions(
                of: account, provedUntil: transaction.at, reason: .revoked, outbox)
            try transaction.audit(
                AuditEvent(.accountSignedOut, account: account.key).by(caller))
        }
        return GatewayV1.SignOutAccountResponse()
    }
}

/// The caller of an admin rpc: checks that the application may look up and suspend accounts (I-09),
/// and names the person for the audit trail.
///
///     caller                           actor of the request   actor in the audit trail
///     the tool                         none, ann              tool, tool/ann
///     the gateway, for `support`       none, ann              gateway/support, gateway/support/ann
///     any other application            any                    none: `rpc/permission-denied`
///
/// Attack: a compromised gateway reads every address and suspends every account. So the gateway may
/// not call these rpcs unless the operator allows it (`account-admins`). Whom it names as its
/// application permits nothing: one that names `tool` is recorded as `gateway/tool`.
struct AdminCaller: Sendable {
    /// In bytes: an actor's name of 64 bytes, preceded by the name of the application that called
    /// the gateway.
    private static let actorBytesMax = 128

    /// As in the table.
    let actor: String

    /// The caller of `context`, on behalf of `actor`.
    /// - Throws: `rpc/permission-denied`; `rpc/invalid-argument` for a name that is too long or has
    ///   characters that could break the one line of an audit record.
    init(
        _ context: CallContext, actor: String, _ settings: AccountLifeSettings
    ) throws(ServiceError) {
        let admins = CallContext.operators.union(settings.accountAdmins)
        guard admins.contains(context.application) else {
            throw .notNamed(context.application, by: "account-admins", of: "identity")
        }
        // Only the gateway has checked whom it names.
        let isGateway = context.application == CallContext.gateway
        let behind = isGateway ? context.metadata[Metadata.Key.application] ?? "" : ""
        let named = [behind, actor].filter { !$0.isEmpty }.joined(separator: "/")
        guard named.utf8.count <= Self.actorBytesMax, named.allSatisfy(BackendCalls.isPlain)
        else { throw ServiceError(.invalidArgument, fields: ["actor"]) }
        self.actor = named.isEmpty ? context.application : "\(context.application)/\(named)"
    }
}

extension AuditEvent {
    /// The event with the actor who caused it.
    func by(_ caller: AdminCaller) -> AuditEvent { by(caller.actor) }
}

extension StoredDeletion {
    /// The deletion as an operator sees it. It is overdue if it began before the moment, as
    /// `DeletionCheck` counts it.
    fileprivate func adminMessage(overdueBefore moment: Timestamp) -> GatewayV1.AdminDeletion {
        GatewayV1.AdminDeletion(
            accountId: account.text, deletion: message, step: step?.name ?? "",
            attempts: UInt32(clamping: attempts), nextAttemptAtMs: nextAttemptAt.milliseconds,
            source: source.rawValue, overdue: begunAt.map { $0 < moment } ?? false)
    }
}
