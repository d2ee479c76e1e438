import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which every program is killed once, at a random moment of a deletion: one,
    /// or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats the moments, but not the
    /// machine's own timing.
    struct DeletionKills {
        private static let rounds = SoakRounds.count(ordinarily: 1)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 5
        private static let batches = (rounds + batchRounds - 1) / batchRounds

        @Test(
            "G-20: killed at any step of a deletion, it ends as if nothing had happened",
            arguments: 0..<batches)
        func deletion(batch: Int) async throws {
            try await StoryFixture.with(byHTTP: true) { fixture in
                let (ada, account) = try await filled(Person(50_000), fixture)
                let begun = ContinuousClock.now
                try await ada.delete()
                try await expectEnd(of: account, "undisturbed", fixture)
                let time = ContinuousClock.now - begun
                let first = batch * Self.batchRounds
                let rounds = first..<min(first + Self.batchRounds, Self.rounds)
                for kill in Kill.all(in: rounds, seed: Self.seed) {
                    let (app, account) = try await filled(kill.person, fixture)
                    let outcome = try await kill.outcome(time, fixture.cluster) {
                        try await app.delete()
                    }
                    if outcome == nil { try await repeated(app) }
                    try await expectEnd(of: account, kill.place, fixture)
                    #expect(try await app.isToldGone(), "\(kill.place)")
                    _ = try await fixture.letter(to: kill.person.email, saying: "the last email")
                    let refused = try await refusal {
                        try await retried { try await fixture.signIn(kill.person) }
                    }
                    #expect(refused.code == .invalidCredential, "\(kill.place)")
                    let again = try await retried { try await fixture.signUp(kill.person) }
                    #expect(again.account?.accountId != account, "\(kill.place)")
                }
            }
        }

        /// A new account with a verified address and some documents.
        private func filled(
            _ person: Person, _ fixture: StoryFixture
        ) async throws -> (SignedInApp, String) {
            let signedUp = try await retried { try await fixture.signUp(person) }
            let app = SignedInApp(fixture, person, signedUp.session)
            let token = try await fixture.linkToken(to: person.email, page: "verify-email")
            _ = try await retried {
                try await fixture.backend.auth.verifyEmail(
                    .init(token: token, device: person.gatewayDevice), app.context())
            }
            for number in 0..<5 {
                _ = try await retried {
                    try await app.write("settings", #"{"theme":"dark"}"#, name: "n\(number)")
                }
            }
            return (app, signedUp.account?.accountId ?? "")
        }

        /// Repeats a request that was not answered, as an app does. If the deletion has begun, the
        /// session has ended.
        private func repeated(_ app: SignedInApp) async throws {
            do {
                _ = try await retried { try await app.delete() }
            } catch let error as ServiceError
                where [ErrorCode.sessionEnded, .invalidAccessToken, .userDisabled].contains(
                    error.code)
            {}
        }

        /// No step is left, and the account does not exist.
        private func expectEnd(
            of account: String, _ place: String, _ fixture: StoryFixture
        ) async throws {
            var said = ""
            let isOver = try await eventually {
                let list = try await fixture.cluster.tool(["deletions", "-o", "json"])
                said = list.output + list.errors
                return list.exitCode == 0 && !list.output.contains(account)
            }
            #expect(isOver, "\(place): \(said)")
            let isGone = try await eventually {
                let looked = try await fixture.cluster.tool(["accounts", "look-up", account])
                return looked.errors.contains("rpc/not-found")
            }
            #expect(isGone, "\(place): the account is there")
        }
    }
}
