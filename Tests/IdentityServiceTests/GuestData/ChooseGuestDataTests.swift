import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-16: the user chooses what happens to a guest's documents", .timeLimit(.minutes(1)))
struct ChooseGuestDataTests {
    @Test("merge: newer wins for each document, and none is lost or doubled")
    func newer() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write(#"{"of":"account"}"#, "older", by: fixture.token)
        try await fixture.write(#"{"of":"guest"}"#, "older", by: fixture.ofGuest)
        try await fixture.write(#"{"of":"guest"}"#, "newer", by: fixture.ofGuest)
        try await fixture.write(#"{"of":"account"}"#, "newer", by: fixture.token)
        try await fixture.write(#"{"of":"guest"}"#, "own", in: "goals", by: fixture.ofGuest)
        let migration = try await fixture.merge()
        #expect(migration.state == .succeeded && migration.documents == 3 && migration.done == 3)
        #expect(migration.choice == .merge && migration.issues.isEmpty)
        #expect(
            try await fixture.documents(fixture.token) == [
                "settings/older": #"{"of":"guest"}"#, "settings/newer": #"{"of":"account"}"#,
                "goals/own": #"{"of":"guest"}"#,
            ])
        #expect(try await fixture.isGuestEnding())
    }

    @Test("merge: a picked side is kept, whichever is newer")
    func picks() async throws {
        let fixture = try await GuestDataFixture()
        for name in ["a", "b"] {
            try await fixture.write(#"{"of":"account"}"#, name, by: fixture.token)
            try await fixture.write(#"{"of":"guest"}"#, name, by: fixture.ofGuest)
        }
        try await fixture.write(#"{"of":"account"}"#, "c", by: fixture.token)
        let migration = try await fixture.merge(picks: [
            .init(collection: "settings", name: "b", keep: .account),
            .init(collection: "settings", name: "c", keep: .guest),
        ])
        #expect(migration.state == .succeeded)
        let documents = try await fixture.documents(fixture.token)
        #expect(documents["settings/a"] == #"{"of":"guest"}"#)
        #expect(documents["settings/b"] == #"{"of":"account"}"#)
        #expect(documents["settings/c"] == #"{"of":"account"}"#, "the guest has none")
    }

    @Test("the first choice counts: a repeat has its migration, another choice is refused")
    func first() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let token = try await fixture.choiceToken()
        let chosen = try await fixture.choose(.merge, token)
        #expect(chosen.state == .waiting && chosen.documents == 1)
        for _ in 0..<2 {
            let again = try await fixture.choose(.merge, token)
            #expect(again.migrationId == chosen.migrationId)
            for other in [GatewayV1.GuestDataChoice.discard, .keep] {
                #expect(
                    try await refusal { try await fixture.choose(other, token) }.code
                        == .invalidChoice)
            }
            // Also after it has ended, and the guest with it.
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.identity.audited("guest-data.chosen") == 1)
    }

    @Test("50 choices at once: one counts, and the documents are moved once")
    func parallel() async throws {
        let fixture = try await GuestDataFixture()
        for number in 0..<25 {
            try await fixture.write("{}", "d\(number)", by: fixture.ofGuest)
        }
        let token = try await fixture.choiceToken()
        let choices: [GatewayV1.GuestDataChoice] = [.merge, .keep, .discard]
        let chosen = await withTaskGroup(of: GatewayV1.Migration?.self) { group in
            for number in 0..<50 {
                group.addTask { try? await fixture.choose(choices[number % 3], token) }
            }
            var chosen: [GatewayV1.Migration] = []
            for await migration in group { if let migration { chosen.append(migration) } }
            return chosen
        }
        #expect(Set(chosen.map(\.migrationId)).count == 1)
        #expect(Set(chosen.map(\.choice)).count == 1)
        try await fixture.handler.job.run()
        let documents = try await fixture.documents(fixture.token)
        #expect(documents.count == (chosen.first?.choice == .merge ? 25 : 0))
        #expect(try await fixture.identity.audited("guest-data.chosen") == 1)
    }

    @Test("a token of another account, of a day ago, or for a guest that is gone, is refused")
    func invalid() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let token = try await fixture.choiceToken()
        let eve = try await fixture.identity.member("eve@example.org")
        func code(_ token: String, by caller: String? = nil) async throws -> ErrorCode {
            try await refusal { try await fixture.choose(.merge, token, by: caller) }.code
        }
        #expect(try await code(token, by: eve.token) == .invalidChoice)
        #expect(try await code("nonsense") == .invalidChoice)
        _ = try await fixture.identity.signIn(
            by: .token("n1", email: "new@example.org"), guest: fixture.ofGuest)
        #expect(try await code(token) == .invalidChoice, "the guest is an account now")
        fixture.identity.time.advance(by: CollisionChoice.life)
        #expect(try await code(token) == .invalidChoice)
    }

    @Test("a token is void once all sessions of the guest were ended")
    func endedSessions() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let token = try await fixture.choiceToken()
        let guest = try #require(AccountID(text: fixture.guest.account))
        try await fixture.identity.store.write(about: [.account(guest)]) {
            try $0.recordEnd(of: guest)
        }
        let chosen = try await refusal { try await fixture.choose(.merge, token) }
        #expect(chosen.code == .invalidChoice)
        let compared = try await refusal {
            try await fixture.handler.compareGuest(
                .init(choiceToken: token), fixture.identity.relayed(fixture.token))
        }
        #expect(compared.code == .invalidChoice)
    }

    @Test("a choice or a pick that is none is refused")
    func malformed() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let token = try await fixture.choiceToken()
        let pick = GatewayV1.DocumentPick(collection: "settings", name: "a", keep: .guest)
        func field(
            _ choice: GatewayV1.GuestDataChoice, _ picks: [GatewayV1.DocumentPick] = []
        ) async throws -> String? {
            let error = try await refusal {
                try await fixture.choose(choice, token, picks: picks)
            }
            #expect(error.code == .invalidArgument)
            return error.violations.first?.field
        }
        #expect(try await field(.unspecified) == "choice")
        #expect(try await field(.keep, [pick]) == "picks")
        #expect(try await field(.merge, [pick, pick]) == "picks[1].name")
        #expect(try await field(.merge, .init(repeating: pick, count: 201)) == "picks")
        #expect(
            try await field(.merge, [.init(collection: "settings", name: "a")]) == "picks[0].keep")
        #expect(
            try await field(.merge, [.init(collection: "S", name: "a", keep: .guest)])
                == "picks[0].collection")
    }

    @Test("a pick of a document that neither side has is refused; of a removed one it is not")
    func unknownPick() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write(#"{"of":"guest"}"#, "main", by: fixture.ofGuest)
        try await fixture.write("{}", "removed", by: fixture.token)
        let token = try await fixture.choiceToken()
        _ = try await fixture.identity.service.data.documents.removeDocument(
            .init(
                collection: "settings",
                name: "removed"), fixture.identity.relayed(fixture.token))
        func pick(_ name: String, in collection: String = "settings") -> GatewayV1.DocumentPick {
            .init(collection: collection, name: name, keep: .account)
        }
        for misspelt in [pick("mian"), pick("main", in: "setting")] {
            let error = try await refusal {
                try await fixture.choose(.merge, token, picks: [pick("main"), misspelt])
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["picks[1]"]))
        }
        #expect(try await fixture.identity.count("guest_migrations") == 0)
        let chosen = try await fixture.choose(
            .merge, token, picks: [pick("main"), pick("removed")])
        #expect(chosen.state == .waiting)
    }

    @Test("a comparison has both sides in order, and says which is newer")
    func compared() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write(#"{"of":"account"}"#, "b", by: fixture.token)
        try await fixture.write(#"{"of":"guest"}"#, "b", by: fixture.ofGuest)
        try await fixture.write(#"{"of":"guest"}"#, "a", by: fixture.ofGuest)
        try await fixture.write(#"{"of":"account"}"#, "z", in: "goals", by: fixture.token)
        let token = try await fixture.choiceToken()
        func compare(
            withJSON: Bool, page: String = "", by caller: String? = nil
        ) async throws -> GatewayV1.CompareGuestResponse {
            try await fixture.handler.compareGuest(
                .init(
                    choiceToken: token,
                    withJson: withJSON, pageToken: page),
                fixture.identity.relayed(caller ?? fixture.token))
        }
        let page = try await compare(withJSON: true)
        #expect(page.guestDocuments == 2 && page.accountDocuments == 2)
        #expect(page.documents.map(\.name) == ["z", "a", "b"] && page.nextPageToken.isEmpty)
        #expect(page.documents.map(\.newer) == [.account, .guest, .guest])
        #expect(page.documents[0].guest == nil && page.documents[1].account == nil)
        #expect(page.documents[2].guest?.json == #"{"of":"guest"}"#)
        #expect(page.documents[2].account?.json == #"{"of":"account"}"#)
        let without = try await compare(withJSON: false)
        #expect(without.documents[2].guest?.json == "" && without.documents[2].guest?.bytes == 14)
        #expect(
            try await refusal { try await compare(withJSON: true, page: "!") }.code
                == .invalidArgument)
        let eve = try await fixture.identity.member("eve@example.org")
        #expect(
            try await refusal { try await compare(withJSON: true, by: eve.token) }.code
                == .invalidChoice)
    }

    @Test("a comparison of many documents has pages that fit a frame, and no document twice")
    func pages() async throws {
        let fixture = try await GuestDataFixture()
        let text = String(repeating: "x", count: 9_000)
        for number in 100..<112 {
            try await fixture.write(#"{"x":"\#(text)"}"#, "d\(number)", by: fixture.ofGuest)
        }
        let long = String(repeating: "y", count: 60_000)
        try await fixture.write(#"{"y":"\#(long)"}"#, "d105", by: fixture.token)
        let token = try await fixture.choiceToken()
        var (names, page, pages) = ([String](), "", 0)
        repeat {
            let answer = try await fixture.handler.compareGuest(
                .init(
                    choiceToken: token, withJson: true,
                    pageToken: page), fixture.identity.relayed(fixture.token))
            #expect(answer.encoded().count < 128 * 1_024)
            names += answer.documents.map(\.name)
            page = answer.nextPageToken
            pages += 1
        } while !page.isEmpty
        #expect(names == (100..<112).map { "d\($0)" } && pages > 1)
    }
}
