import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

/// Callers that go just before their write begins: the attack is a deadline between the comparison
/// of a password and its record.
@Suite("What is recorded of a caller that has gone", .timeLimit(.minutes(1)))
struct GoneCallerTests {
    let fixture: IdentityFixture
    private let leaving: LeavingCallers

    init() throws {
        let holder = Mutex<LeavingCallers?>(nil)
        fixture = try IdentityFixture { inner in
            let backend = LeavingCallers(inner)
            holder.withLock { $0 = backend }
            return backend
        }
        leaving = try #require(holder.withLock { $0 })
    }

    /// Makes a call whose caller goes before each write of it begins.
    /// - Returns: the audit events that it leaves, with their outcomes.
    private func recorded(
        _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        // It is loaded once for all callers.
        _ = try await fixture.responseTimeFloor.floor()
        let before = try await events()
        leaving.begin()
        // Its outcome reaches no caller.
        let task = Task { try? await call() }
        await task.value
        leaving.end()
        return Array(try await events().dropFirst(before.count))
    }

    private func events() async throws -> [String] {
        try await fixture.store.number(.audit)
        return try await fixture.store.read { session in
            try session.query("SELECT kind, outcome FROM audit ORDER BY number") { row in
                let outcome = try row.optionalText("outcome")
                return try row.text("kind") + (outcome.map { " \($0)" } ?? "")
            }
        }
    }

    @Test("I-02: a password that was compared is recorded, whether it was right or wrong")
    func signIn() async throws {
        _ = try await fixture.register()
        let wrong = try await recorded { [fixture] in
            _ = try await fixture.signIn(password: "Wrong7Horse")
        }
        #expect(wrong == ["sign-in.failed auth/invalid-credential"])
        let right = try await recorded { [fixture] in _ = try await fixture.signIn() }
        #expect(right == ["sign-in.succeeded"])
    }

    @Test("I-02: the same for another mail by password, and for a change of the password")
    func others() async throws {
        let access = try await fixture.member().token
        @Sendable func resend(_ password: String) async throws {
            _ = try await fixture.emails.resendVerificationByPassword(
                .init(
                    email: "ada@example.org", password: .init(text: password),
                    device: IdentityFixture.device), fixture.context())
        }
        @Sendable func change(_ password: String) async throws {
            _ = try await fixture.credentials.changePassword(
                .init(
                    currentPassword: .init(text: password), newPassword: "Other8Password",
                    device: IdentityFixture.device), fixture.relayed(access))
        }
        #expect(
            try await recorded { try await resend("Wrong7Horse") } == [
                "sign-in.failed auth/invalid-credential"
            ])
        #expect(
            try await recorded { try await resend("Correct7Horse") } == [
                "account.verification-resent"
            ])
        #expect(
            try await recorded { try await change("Wrong7Horse") } == [
                "account.password-change-refused auth/invalid-credential"
            ])
        #expect(
            try await recorded { try await change("Correct7Horse") } == [
                "account.password-replaced"
            ])
    }

    @Test("I-02: the same for a correction of the address")
    func correction() async throws {
        _ = try await fixture.register()
        let wrong = try await recorded { [fixture] in
            _ = try await fixture.correct(to: "new@example.org", password: "Wrong7Horse")
        }
        #expect(wrong == ["sign-in.failed auth/invalid-credential"])
        let right = try await recorded { [fixture] in
            _ = try await fixture.correct(to: "new@example.org")
        }
        #expect(right == ["account.email-changed"])
    }

    @Test("X-06: a sign-up whose caller has gone is not begun")
    func signUp() async throws {
        let left = try await recorded { [fixture] in _ = try await fixture.register() }
        #expect(left == [])
        #expect(try await fixture.count("accounts") == 0)
    }

    @Test("X-04: a repeat's password that did not reach its hash is not counted as a guess")
    func repeats() async throws {
        let account = AccountID.drawn(from: fixture.randomness)
        let call = try #require(
            try RepeatableCall("Test", [], fixture.context("k"), hash: fixture.keys.calls))
        try await fixture.store.writeUnchecked {
            try $0.remember(call, .init(account: account.key))
        }
        let passwords = fixture.accounts.passwords
        for _ in 0..<30 {
            let task = Task {
                try await passwords.require(of: account, repeating: call) {
                    withUnsafeCurrentTask { $0?.cancel() }
                    // As the pool's error of a password that waits.
                    throw ServiceError(.cancelled, notProcessed: true)
                }
            }
            let error = try await refusal { try await task.value }
            #expect(error.code == .cancelled)
        }
        try await passwords.require(of: account, repeating: call) { true }
    }
}

/// Cancels the task of each caller that gives it a flow, just before the flow waits.
private final class LeavingCallers: StoreBackend {
    private let inner: any StoreBackend
    private let isLeaving = Atomic(false)

    init(_ inner: any StoreBackend) { self.inner = inner }

    func begin() { isLeaving.store(true, ordering: .relaxed) }

    func end() { isLeaving.store(false, ordering: .relaxed) }

    var waitingWrites: Int { inner.waitingWrites }

    func write(_ job: WriterJob) throws(QueueRefusal) {
        if isLeaving.load(ordering: .relaxed) { withUnsafeCurrentTask { $0?.cancel() } }
        try inner.write(job)
    }

    func read(_ query: Queued<any SQLSession>) throws(QueueRefusal) { try inner.read(query) }

    func close() { inner.close() }
}
