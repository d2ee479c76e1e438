import Glibc
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("What --check tries with a path")
struct PathUseTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a folder that is made needs its parent, and that of keys any folder above it")
    func made() throws {
        let (near, far) = (folder.file("a"), folder.file("a/b/c"))
        #expect(PathUse.store.findings(near).isEmpty)
        #expect(PathUse.store.findings(far).count == 1)
        #expect(PathUse.ownKeys.findings(far).isEmpty)
        #expect(PathUse.untried.findings(far).isEmpty)
    }

    @Test("a file in place of a folder is found")
    func file() throws {
        let file = try folder.write("", to: "file")
        #expect(PathUse.store.findings(file).count == 1)
        #expect(PathUse.ownKeys.findings("\(file)/keys").count == 1)
    }

    @Test("Secrets: keys that others may read or write are found, with what to do")
    func exposed() throws {
        for (name, mode) in [
            ("a.key", 0o600), ("b.key", 0o640), ("c.pub", 0o644), ("d.pub", 0o666),
            ("callers", 0o666),
        ] as [(String, mode_t)] {
            #expect(chmod(try folder.write("x", to: name), mode) == 0)
        }
        for use in [PathUse.keys, .ownKeys] {
            let findings = use.findings(folder.path)
            #expect(findings.count == 2)
            #expect(findings.first?.hasSuffix("chmod 600 \(folder.file("b.key"))") == true)
            #expect(findings.last?.hasSuffix("chmod 644 \(folder.file("d.pub"))") == true)
        }
        #expect(PathUse.secret.findings(folder.file("a.key")).isEmpty)
        #expect(PathUse.secret.findings(folder.file("b.key")).count == 1)
        #expect(PathUse.keys.findings(folder.file("none")).count == 1)
    }
}
