import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-20, G-21: identity's data of an account", .timeLimit(.minutes(1)))
struct AccountDataTests {
    let fixture: IdentityFixture
    let account: AccountID

    init() async throws {
        fixture = try IdentityFixture()
        let text = try #require(try await fixture.register().account).accountId
        account = try #require(AccountID(text: text))
        _ = try await fixture.register("eve@example.org")
    }

    private var data: AccountDataHandler { fixture.service.life.accountData }

    private func context(_ application: String) -> CallContext {
        fixture.context(application: application)
    }

    private func collect(
        _ id: String, from application: String = "identity", by data: AccountDataHandler? = nil
    ) async throws -> [String: String] {
        var files: [String: [UInt8]] = [:]
        var name = ""
        let items = (data ?? self.data).collectAccountData(
            .init(subject: .init(accountId: id)), context(application))
        for try await item in items {
            switch item.part {
            case .file(let begun):
                name = begun
                files[name] = []
            case .data(let bytes): files[name, default: []] += bytes
            case nil: Issue.record("an item without a part")
            }
        }
        return files.mapValues { String(decoding: $0, as: UTF8.self) }
    }

    private func forget(
        _ id: String, from application: String = "identity"
    ) async throws -> UInt32 {
        try await data.forgetAccountData(
            .init(subject: .init(accountId: id)), context(application)
        ).rows
    }

    /// What `Transaction.beginDeletion` makes of the account.
    private func beginDeletion() async throws {
        let account = account
        _ = try await fixture.store.write(about: [.account(account)]) {
            try $0.apply(.beginDeletion, account)
        }
    }

    /// Tables that have a column `account`.
    private func tablesOfAccounts() async throws -> [String] {
        try await fixture.store.tables(with: "account").filter { $0 != "audit" }
    }

    @Test(
        "only identity may call, and not the operator's tool",
        arguments: ["tool", "gateway", "session", "app", ""])
    func strangers(application: String) async throws {
        try await beginDeletion()
        let denied = CallContext.onlyIdentity
        await #expect(throws: denied) { try await collect(account.text, from: application) }
        await #expect(throws: denied) { try await forget(account.text, from: application) }
        await #expect(throws: denied) {
            try await data.listAccountsWithData(.init(), context(application))
        }
        #expect(try await fixture.count("accounts") == 2)
    }

    @Test("a malformed account id is refused", arguments: ["", "7", "ses_0000000000001"])
    func malformed(id: String) async throws {
        let refused = ServiceError(.invalidArgument, fields: ["subject.account_id"])
        await #expect(throws: refused) { try await collect(id) }
        await #expect(throws: refused) { try await forget(id) }
    }

    @Test("G-21: the account, its methods and its history are sent; no secret and no other account")
    func collected() async throws {
        _ = try await fixture.signIn()
        let files = try await collect(account.text)
        #expect(
            Set(files.keys) == [
                "account.json", "sign-in-methods.json", "consents.json", "documents.json",
                "guest-data.json", "photo.json", "account-history.json",
            ])
        let text = try #require(files["account.json"])
        #expect(text.contains("\"ada@example.org\"") && text.contains("\"display_name\":\"Ada\""))
        #expect(text.contains("\"status\":\"active\"") && text.contains("\"known_devices\":1"))
        // Signed up and in from one network, without a place.
        #expect(text.contains("\"sign_in_places\":[{") && text.contains("\"last_sign_in_at\":"))
        #expect(files["account-history.json"]?.contains("sign-in.succeeded") == true)
        #expect(files["account-history.json"]?.contains(#""detail":"password""#) == true)
        #expect(!files.values.contains { $0.contains("eve@") || $0.contains("$argon2") })
        await #expect(throws: ServiceError(.notFound, fields: ["subject.account_id"])) {
            try await collect("acc_0000000000001")
        }
    }

    @Test("G-21: a provider's identity is sent as the provider reported it")
    func methods() async throws {
        let answer = try await fixture.signIn(by: .token("g1", email: "bob@example.org"))
        let id = try #require(answer.account).accountId
        let methods = try await collect(id)["sign-in-methods.json"]
        #expect(methods?.contains("\"subject\":\"g1\"") == true)
        #expect(methods?.contains("bob@example.org") == true)
    }

    @Test("G-21: a password is sent as a method, with its address and without its hash")
    func password() async throws {
        let methods = try #require(try await collect(account.text)["sign-in-methods.json"])
        #expect(methods.contains(#""method":"password""#))
        #expect(methods.contains(#""email":"ada@example.org""#))
        #expect(!methods.contains("$argon2") && !methods.contains("hash"))
        let answer = try await fixture.signIn(by: .token("g1", email: "bob@example.org"))
        let id = try #require(answer.account).accountId
        let others = try await collect(id)["sign-in-methods.json"]
        #expect(others?.contains("password") == false)
    }

    @Test("I-07: documents are sent as JSON, over all pages, and deleted with the account")
    func documents() async throws {
        let documents = try await DocumentFixture()
        for number in 0..<120 {
            _ = try await documents.write("{\"n\":\(number)}", to: "d\(number)")
        }
        _ = try await documents.write("{\"gone\":true}", to: "removed")
        _ = try await documents.remove("removed")
        let identity = documents.identity
        let files = try await collect(documents.account, by: identity.service.life.accountData)
        let text = try #require(files["documents.json"])
        #expect(text.split(separator: "\n").count == 122)
        #expect(text.contains("\"document\":{\"n\":119}") && !text.contains("gone"))
        let account = try #require(AccountID(text: documents.account))
        _ = try await identity.store.write(about: [.account(account)]) {
            try $0.apply(.beginDeletion, account)
        }
        _ = try await identity.service.life.accountData.forgetAccountData(
            .init(subject: .init(accountId: documents.account)),
            identity.context(application: "identity"))
        #expect(try await identity.count("documents") == 0)
        #expect(try await identity.count("document_totals") == 0)
    }

    @Test("G-17: the photo is sent as a file, and no file of it is left after the deletion")
    func photo() async throws {
        let bob = try await fixture.member("bob@example.org")
        _ = try await fixture.upload(PhotoSamples.png(), bob.token)
        let files = try await collect(bob.id)
        #expect(files["photo.json"]?.contains("\"content_type\":\"image/png\"") == true)
        #expect(files["photo.png"]?.contains("PNG") == true)
        let id = try #require(AccountID(text: bob.id))
        _ = try await fixture.store.write(about: [.account(id)]) {
            try $0.apply(.beginDeletion, id)
        }
        _ = try await forget(bob.id)
        #expect(try await fixture.blobs().isEmpty)
    }

    @Test("the operator's reason of a suspension is not for the owner")
    func suspended() async throws {
        _ = try await fixture.admin(NoActivity()).suspendAccount(
            .init(accountId: account.text, reason: "reported by Eve", actor: "ann"),
            context("tool"))
        let files = try await collect(account.text)
        #expect(files["account.json"]?.contains("\"suspended_since\":\"") == true)
        #expect(!files.values.contains { $0.contains("Eve") || $0.contains("ann") })
    }

    @Test("G-20: an account that is not being deleted is not forgotten")
    func refused() async throws {
        let error = try await refusal { try await forget(account.text) }
        #expect(error.code == .operationNotAllowed)
        #expect(try await fixture.count("accounts") == 2)
    }

    @Test("G-20: no table has a row of a forgotten account; another's stay; a repeat finds nothing")
    func forgotten() async throws {
        _ = try await fixture.signIn()
        try await beginDeletion()
        #expect(try await forget(account.text) > 5)
        let tables = try await tablesOfAccounts()
        #expect(tables.count > 10)
        for table in tables {
            #expect(
                try await fixture.count(table, where: "account = \(account.key)") == 0, "\(table)")
        }
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await forget(account.text) == 0)
        _ = try await fixture.signIn("eve@example.org")
        // The address is free again.
        _ = try await fixture.register()
    }

    @Test("I-09: all accounts are listed")
    func listed() async throws {
        let page = try await data.listAccountsWithData(.init(), context("identity"))
        #expect(page.accounts.count == 2 && page.nextPageToken.isEmpty)
        #expect(page.accounts.contains(.init(accountId: account.text, kinds: ["account"])))
        await #expect(throws: ServiceError(.invalidArgument, fields: ["page_token"])) {
            try await data.listAccountsWithData(.init(pageToken: "2"), context("identity"))
        }
    }
}
