import Cryptography
import Foundation
import Glibc
import Hosting
import RPC
import TestSupport
import Testing

@testable import postern

@Suite("Key folders: which program holds which key")
struct KeyFoldersTests {
    private let folder: TemporaryFolder
    private let keys: KeyFolders

    init() throws {
        self.init(try TemporaryFolder())
    }

    private init(_ folder: TemporaryFolder) {
        self.folder = folder
        keys = KeyFolders(path: folder.path)
    }

    private func files(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).sorted()
    }

    private func makeShared(_ name: String) throws {
        _ = mkdir(keys.outside, 0o700)
        try SecretFile.create(
            "\(keys.outside)/\(name)", .generate(count: 32, randomness: KeyRandomness()))
    }

    @Test("H3: a server gets its own private key and its callers' public keys, and nothing else")
    func prepared() throws {
        #expect(try keys.prepare().isEmpty)
        #expect(
            try files("gateway") == [
                "app.k1.pub", "callers", "gateway.k1.key", "tool.k1.pub", "web.k1.pub",
            ])
        #expect(try files("web") == ["web.k1.key"])
        #expect(
            try files("rate-limit")
                == ["gateway.k1.pub", "identity.k1.pub", "notification.k1.pub", "tool.k1.pub"])
        #expect(
            try files("identity") == [
                "gateway.k1.pub", "identity.k1.key", "notification.k1.pub", "session.k1.pub",
                "tool.k1.pub",
            ])
        #expect(try files("applications") == ["app.k1.key", "tool.k1.key"])
        for held in try StoredKey.all(in: keys).keys {
            #expect(!held.isShared && held.privateFile != nil)
            #expect(
                held.servers.sorted()
                    == KeyFolders.callers.filter { $0.value.contains(held.application) }.keys
                    .sorted())
        }
    }

    @Test("H3: a second start changes nothing; after a crash it only adds what servers lack")
    func again() throws {
        _ = try keys.prepare()
        let before = try SecretFile.read("\(keys.outside)/app.k1.key")
        let half = "\(keys.server("session"))/tool.k1.pub"
        let content = try SecretFile.read(half)
        unlink(half)
        try SecretFile.create(
            "\(keys.server("identity"))/tool.k1.pub.torn", SecretBytes(copying: [1]))
        _ = try keys.prepare()
        #expect(try SecretFile.read("\(keys.outside)/app.k1.key") == before)
        #expect(try SecretFile.read(half) == content)
    }

    @Test("H3: after an upgrade services get new keys; app's shared key stays, at the gateway only")
    func upgraded() throws {
        try makeFormer()
        #expect(try keys.prepare().sorted() == ["app", "shop"])
        #expect(try files("applications") == ["app.k1.key", "shop.k7.key", "tool.k1.key"])
        for held in try StoredKey.all(in: keys).keys {
            let isOurs = ProgramDescription.ourApplications.contains(held.application)
            #expect(held.isShared == !isOurs, "\(held.row.line)")
            if !isOurs { #expect(held.servers == ["gateway"]) }
        }
        // A key that the operator removed is not restored by the next start.
        unlink("\(keys.server("gateway"))/shop.k7.key")
        #expect(try keys.prepare() == ["app"])
    }

    /// The files of the previous version: shared keys, also of a backend that Postern does not
    /// create.
    private func makeFormer() throws {
        for name in KeyFolders.applications { try makeShared("\(name).k1.key") }
        try makeShared("shop.k7.key")
    }

    @Test(
        "H3: after a crash at any step of the first start, the next start creates what is missing")
    func crashed() throws {
        func fixture() throws -> Self {
            let fixture = Self(try TemporaryFolder())
            try fixture.makeFormer()
            // So that a key pair of app is created too.
            unlink("\(fixture.keys.outside)/app.k1.key")
            return fixture
        }
        let whole = try fixture()
        #expect(try whole.keys.prepare() == ["shop"])
        for count in 0...keys.steps.count {
            let crashed = try fixture()
            for step in crashed.keys.steps.prefix(count) { try step() }
            #expect(try crashed.keys.prepare() == ["shop"], "after step \(count)")
            for name in Endpoints.programs + ["applications"] {
                let found = try crashed.files(name)
                #expect(try found == whole.files(name), "\(name) after step \(count)")
            }
            #expect(access(crashed.folder.file("first-start"), F_OK) != 0)
        }
    }

    @Test("H3: a crash during a later start does not readmit an application that was removed")
    func crashedLater() throws {
        try makeFormer()
        _ = try keys.prepare()
        unlink("\(keys.server("gateway"))/shop.k7.key")
        unlink("\(keys.server("session"))/tool.k1.pub")
        for count in 0..<keys.steps.count {
            for step in keys.steps.prefix(count) { try step() }
            #expect(try !files("gateway").contains("shop.k7.key"), "after step \(count)")
        }
        #expect(try keys.prepare() == ["app"])
        #expect(try files("session").contains("tool.k1.pub"))
    }

    @Test("the web service may call public methods only, until the operator removes its line")
    func webCaller() throws {
        _ = try keys.prepare()
        let list = keys.gatewayCallers
        let web = try CallersList(file: list.path).entries.first { $0.application == "web" }
        #expect(web?.mayAssertClientAddress == true)
        #expect(web?.methods == [.publicMethods])
        try list.remove("web")
        _ = try keys.prepare()
        #expect(try !CallersList(file: list.path).entries.contains { $0.application == "web" })
    }

    @Test("a further key gets an unused id, also if only the gateway still knows an id")
    func nextKeyID() throws {
        _ = try keys.prepare()
        #expect(try keys.nextKeyID(of: "app") == "k2")
        #expect(try keys.nextKeyID(of: "shop") == "k1")
        let file = try keys.makeKey(of: "app", for: ["gateway"])
        #expect(file == "\(keys.outside)/app.k2.key")
        #expect(try keys.nextKeyID(of: "app") == "k3")
        unlink(file)
        #expect(try keys.nextKeyID(of: "app") == "k3", "the gateway still has its public key")
    }

    @Test(
        "adding and removing callers keeps the operator's lines; an invalid line is not written")
    func callers() throws {
        _ = try keys.prepare()
        let list = keys.gatewayCallers
        try folder.write(
            "# ours\napp client-address\nedge certificate=edge.test\n", to: "gateway/callers")
        try list.add("shop", ["client-address", "postern.gateway.v1.Auth/*"])
        try list.add("shop", [])
        try list.remove("app")
        let text = try String(contentsOfFile: list.path, encoding: .utf8)
        #expect(
            text == """
                # ours
                edge certificate=edge.test
                shop client-address postern.gateway.v1.Auth/*

                """)
        #expect(throws: CallersList.ParseError.self) { try list.add("shop/2", []) }
        #expect(try String(contentsOfFile: list.path, encoding: .utf8) == text)
    }
}
