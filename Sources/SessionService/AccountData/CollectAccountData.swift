import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Ended sessions that one read returns.
    private static let sessionsAtOnce = 200

    /// Sends an account's data: its sessions with their devices, when it was last seen, and its
    /// part of the audit trail. No client address is stored.
    func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest,
        _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>, _ context: CallContext
    ) async throws {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        try await sendSessions(of: account, to: items)
        var lastSeen = try await AccountDataFile("last-seen.json", items)
        if let seen = try await store.read({ try $0.accountSeen(account) }) {
            try await lastSeen.append(["last_seen_at": .string(seen.text)])
        }
        try await lastSeen.end()
        var history = try await AccountDataFile("session-history.json", items)
        try await store.readHistory(of: account.key) { event in
            try await history.append([
                "at": .string(event.at.text), "event": .string(event.kind),
                "session_id": .text(event.session.flatMap { SessionID(key: $0)?.text }),
                "detail": .text(event.detail), "refused_with": .text(event.outcome),
                "country": .text(event.country), "agent": .text(event.agent),
                "app": .text(event.app),
            ])
        }
        try await history.end()
    }

    private func sendSessions(
        of account: AccountID, to items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    ) async throws {
        var file = try await AccountDataFile("sessions.json", items)
        var page = try await store.read { try $0.openSessionsWithDevices(of: account) }
        var after: Int64 = 0
        repeat {
            for (session, device) in page { try await file.append(try object(session, device)) }
            let from = after
            page = try await store.read {
                try $0.endedSessionsWithDevices(
                    of: account, after: from, limit: Self.sessionsAtOnce)
            }
            after = page.last?.session.id.key ?? after
        } while !page.isEmpty
        try await file.end()
    }

    private func object(_ stored: Session, _ sealed: SessionDevice.Stored) throws -> JSONObject {
        let session = memory.activity.applied(to: stored)
        let device = try sealed.opened(of: session.id, box: keys.devicesShown)
        return [
            "session_id": .string(session.id.text),
            "device_name": .string(device.name),
            "platform": .string(sealed.platform ?? ""),
            "place": .text(device.place?.shown),
            "agent": .text(device.agent.isEmpty ? nil : device.agent),
            "sign_in_methods": .array(session.proofs.signIn.methods.map { .string($0) }),
            "created_at": .string(session.createdAt.text),
            "last_used_at": .string(session.usedAt.text),
            "is_live": .boolean(life.state(of: session, at: time.now()) == .live),
            "ended_at": .text(session.end?.at.text),
        ]
    }
}
