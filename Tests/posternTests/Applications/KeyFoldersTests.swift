import Cryptography
import Foundation
import Glibc
import Hosting
import RPC
import TestSupport
import Testing

@testable import postern

@Suite("Keys: who holds which")
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

    @Test("H3: a server gets its own private half and its callers' public halves, and no more")
    func prepared() throws {
        #expect(try keys.prepare().isEmpty)
        #expect(try files("gateway") == ["app.k1.pub", "callers", "gateway.k1.key", "tool.k1.pub"])
        #expect(
            try files("rate-limit") == ["gateway.k1.pub", "notification.k1.pub", "tool.k1.pub"])
        #expect(
            try files("identity") == [
                "gateway.k1.pub", "identity.k1.key", "notification.k1.pub", "session.k1.pub",
                "tool.k1.pub",
            ])
        #expect(try files("applications") == ["app.k1.key", "tool.k1.key"])
        for held in try HeldKey.all(in: keys).keys {
            #expect(!held.isShared && held.privateFile != nil)
            #expect(
                held.servers.sorted()
                    == KeyFolders.callers.filter { $0.value.contains(held.application) }.keys
                    .sorted())
        }
    }

    @Test("H3: a second start changes nothing, and one after a crash gives servers what they lack")
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

    @Test("H3: shared keys of the build before: ours are replaced, app's goes to the gateway alone")
    func upgraded() throws {
        try makeFormer()
        #expect(try keys.prepare().sorted() == ["app", "shop"])
        #expect(try files("applications") == ["app.k1.key", "shop.k7.key", "tool.k1.key"])
        for held in try HeldKey.all(in: keys).keys {
            let isOurs = ProgramDescription.ourApplications.contains(held.application)
            #expect(held.isShared == !isOurs, "\(held.line)")
            if !isOurs { #expect(held.servers == ["gateway"]) }
        }
        // Shut out by the operator, it is not let in again by the next start.
        unlink("\(keys.server("gateway"))/shop.k7.key")
        #expect(try keys.prepare() == ["app"])
    }

    /// What the build before left: shared keys, of a backend besides those that we make.
    private func makeFormer() throws {
        for name in KeyFolders.applications { try makeShared("\(name).k1.key") }
        try makeShared("shop.k7.key")
    }

    @Test("H3: after a crash behind any step of the first start, the next makes what is missing")
    func crashed() throws {
        func house() throws -> Self {
            let house = Self(try TemporaryFolder())
            try house.makeFormer()
            unlink("\(house.keys.outside)/app.k1.key")  // so that a pair of its is made as well
            return house
        }
        let whole = try house()
        #expect(try whole.keys.prepare() == ["shop"])
        for count in 0...keys.steps.count {
            let crashed = try house()
            for step in crashed.keys.steps.prefix(count) { try step() }
            #expect(try crashed.keys.prepare() == ["shop"], "after step \(count)")
            for name in Endpoints.services + ["applications"] {
                let found = try crashed.files(name)
                #expect(try found == whole.files(name), "\(name) after step \(count)")
            }
            #expect(access(crashed.folder.file("first-start"), F_OK) != 0)
        }
    }

    @Test("H3: a crash between two steps of a later start lets none in that was shut out")
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

    @Test("another key has an id of its own, whatever ids there are")
    func nextKeyID() throws {
        _ = try keys.prepare()
        #expect(try keys.nextKeyID(of: "app") == "k2")
        #expect(try keys.nextKeyID(of: "shop") == "k1")
        let file = try keys.makeKey(of: "app", for: ["gateway"])
        #expect(file == "\(keys.outside)/app.k2.key")
        #expect(try keys.nextKeyID(of: "app") == "k3")
        unlink(file)
        #expect(try keys.nextKeyID(of: "app") == "k3", "the gateway knows it still")
    }

    @Test(
        "the list of callers keeps what an operator wrote, and no line that is refused is written")
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
        #expect(throws: CallersListError.self) { try list.add("shop/2", []) }
        #expect(try String(contentsOfFile: list.path, encoding: .utf8) == text)
    }
}
