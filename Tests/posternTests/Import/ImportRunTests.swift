import AccountLife
import Contracts
import Glibc
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import postern

@Suite("I-03: importing files of accounts", .timeLimit(.minutes(5)))
struct ImportRunTests {
    private let fixture: IdentityBesideTool

    init() throws { fixture = try IdentityBesideTool() }

    private func signIn(_ email: String, _ password: String) async throws -> String {
        try await fixture.accounts.verifyPassword(
            .init(signIn: .init(email: email, password: .init(text: password))),
            IdentityBesideTool.context
        ).account?.accountId ?? ""
    }

    @Test(
        "a Firebase export is imported, its users can sign in, and a second import changes nothing")
    func firebase() async throws {
        let config = try FirebaseUser.HashConfig(ExportFiles.hashConfig)
        let id = try await fixture.imports.keepHashParameters(
            .init(signerKey: config.signerKey, saltSeparator: config.saltSeparator),
            IdentityBesideTool.context
        ).parametersId
        let firebase = FirebaseUser(
            hashPrefix: "$firebase-scrypt$m=14,r=8$k=\(id)", providers: FirebaseUser.providers)
        let users =
            (0..<3).map(ExportFiles.user)
            + [#"{"localId":"x"}"#, #"{"localId":"y","email":"nobody"}"#]
        let path = try fixture.folder.write(ExportFiles.firebase(users), to: "users.json")
        let first = try await fixture.take(path, firebase)
        #expect(first.created == 3 && first.refused == 1 && first.lost == ["anonymous users": 1])
        #expect(try await signIn("user1@example.org", "user1password") != "")
        let letter = String(
            decoding: try TextFile.read(path + ".refused.jsonl"), as: UTF8.self)
        #expect(
            letter
                == #"{"external_id":"y","code":"auth/invalid-email","field":"email","reason":""}"#
                + "\n")
        let second = try await fixture.take(path, firebase)
        #expect(second.created == 0 && second.unchanged == 3 && second.refused == 1)
        let again = String(decoding: try TextFile.read(path + ".refused.jsonl"), as: UTF8.self)
        #expect(again == letter, "the records of this run only")
        fixture.close()
    }

    @Test("an import that is stopped anywhere resumes at its position, and creates no duplicates")
    func resumed() async throws {
        let count = 600
        let path = try fixture.folder.write(ExportFiles.lines(count), to: "users.jsonl")
        // Each run is killed after some batches; some of these were committed without a response.
        var position: Int64 = 0
        var runs = 0
        while runs < 50 {
            runs += 1
            let failing = FailingImports(fixture.imports, after: runs % 3)
            do {
                _ = try await fixture.take(path, from: position, through: failing)
                break
            } catch is FailingImports.Killed {
                position = try fixture.run(on: path).start(of: path)
            }
        }
        #expect(runs > 1 && runs < 50)
        let exported = try await fixture.exported()
        #expect(exported.count == count)
        #expect(Set(exported.map(\.externalId)).count == count)
        #expect(
            access(path + ".position", F_OK) != 0,
            "all is done: none is left")
        let again = try await fixture.take(path)
        #expect(again.created == 0 && again.unchanged == count)
        fixture.close()
    }

    @Test("an export goes to a file that only its owner can read, and can be imported elsewhere")
    func roundTrip() async throws {
        let path = try fixture.folder.write(ExportFiles.lines(120), to: "users.jsonl")
        _ = try await fixture.take(path)
        let output = fixture.folder.file("export.jsonl")
        do {
            let file = try OutputFile(output, flags: O_EXCL)
            let items = fixture.imports.exportAccounts(
                .init(withPasswordHashes: true), IdentityBesideTool.context)
            #expect(try await ExportCommand.write(items, to: file) == 120)
        }
        #expect(throws: ToolError.self) { try OutputFile(output, flags: O_EXCL) }

        let there = try IdentityBesideTool()
        let counts = try await there.take(output)
        #expect(counts.created == 120 && counts.refused == 0)
        #expect(Set(try await there.exported().map(\.email)).count == 120)
        there.close()
        fixture.close()
    }

    @Test("hash parameters of a file get the ids of this store")
    func renamed() async throws {
        // So that the file's first id is not the first id of this store.
        _ = try await fixture.imports.keepHashParameters(
            .init(signerKey: [UInt8](repeating: 1, count: 64)), IdentityBesideTool.context)
        let hash =
            "$firebase-scrypt$m=14,r=8$k=1$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/"
            + "qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ"
        let path = try fixture.folder.write(
            #"{"hash_parameters":{"parameters_id":1,"signer_key":"\#(ExportFiles.signerKey)","#
                + #""salt_separator":"Bw=="}}"# + "\n"
                + #"{"external_id":"1","email":"a@example.org","password_hash":"\#(hash)"}"# + "\n"
                + #"{"external_id":"2","email":"b@example.org","password_hash":"\#(hash.replacing("$k=1$", with: "$k=9$"))"}"#,
            to: "users.jsonl")
        let counts = try await fixture.take(path)
        #expect(counts.created == 1 && counts.refused == 1)
        #expect(try await signIn("a@example.org", "user1password") != "")
        fixture.close()
    }

    @Test("a hash whose parameters are not in the file does not get those of this store")
    func unnamed() async throws {
        _ = try await fixture.imports.keepHashParameters(
            .init(signerKey: [UInt8](repeating: 1, count: 64)), IdentityBesideTool.context)
        let hash =
            "$firebase-scrypt$m=14,r=8$k=1$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/"
            + "qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ"
        let path = try fixture.folder.write(
            #"{"external_id":"1","email":"a@example.org","password_hash":"\#(hash)"}"# + "\n"
                + #"{"external_id":"2","email":"b@example.org"}"#,
            to: "users.jsonl")
        let counts = try await fixture.take(path)
        #expect(counts.created == 1 && counts.refused == 1)
        let refused = String(
            decoding: try TextFile.read(path + ".refused.jsonl"), as: UTF8.self)
        #expect(refused.contains(#""external_id":"1""#) && refused.hasSuffix("\"offset\":0}\n"))
        fixture.close()
    }

    @Test("many accounts are imported; a long run imports 20,000 a round and prints the rate")
    func many() async throws {
        let count = SoakRounds.isLong ? 20_000 * SoakRounds.count : 500
        let path = try fixture.folder.write(ExportFiles.lines(count), to: "users.jsonl")
        let (time, shown) = (SystemTime(), Shown())
        let begun = time.uptime()
        let counts = try await fixture.take(path) { shown.add($0) }
        let took = time.uptime() - begun
        #expect(counts.created == count && counts.refused == 0)
        #expect(shown.lines.first?.contains("accounts") == true)
        if SoakRounds.isLong {
            let seconds =
                Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
            print("import: \(count) accounts, \(Int(Double(count) / seconds)) a second")
        }
        fixture.close()
    }
}

/// Lets some batches through, then fails each; the first failure comes after its commit.
private final class FailingImports: ImportsAPI {
    struct Killed: Error {}

    private let imports: any ImportsAPI
    private let left: Atomic<Int>

    init(_ imports: any ImportsAPI, after batches: Int) {
        self.imports = imports
        left = Atomic(batches)
    }

    func importAccounts(
        _ request: IdentityV1.ImportAccountsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ImportAccountsResponse {
        let left = left.subtract(1, ordering: .relaxed).oldValue
        if left < 0 { throw Killed() }
        let answer = try await imports.importAccounts(request, context)
        if left == 0 { throw Killed() }
        return answer
    }

    func keepHashParameters(
        _ request: IdentityV1.KeepHashParametersRequest, _ context: CallContext
    ) async throws -> IdentityV1.KeepHashParametersResponse {
        try await imports.keepHashParameters(request, context)
    }

    func lookUpImported(
        _ request: IdentityV1.LookUpImportedRequest, _ context: CallContext
    ) async throws -> IdentityV1.LookUpImportedResponse {
        try await imports.lookUpImported(request, context)
    }

    func exportAccounts(
        _ request: IdentityV1.ExportAccountsRequest, _ context: CallContext
    ) -> IncomingItems<IdentityV1.ExportAccountsItem> {
        imports.exportAccounts(request, context)
    }
}
