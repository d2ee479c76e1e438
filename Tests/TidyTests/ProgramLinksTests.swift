import TestSupport
import Testing

@Suite("What each program links")
struct ProgramLinksTests {
    @Test("the table of Sources/README.md is what Package.swift says")
    func table() throws {
        let checkout = try Checkout.here.get()
        let links = ProgramLinks(manifest: try checkout.text(of: "Package.swift"))
        #expect(links.unknown == [])
        let page = CommittedFile(ProgramLinks.page)
        let text = try page.text()
        let table = ProgramLinks.table(in: text)
        try #require(!table.isEmpty)
        if CommittedFile.isWriting {
            let (old, new) = (table.joined(separator: "\n"), links.table.joined(separator: "\n"))
            try page.writeIfRequested(text.replacing(old, with: new))
        } else {
            #expect(table == links.table, "\(CommittedFile.hint)")
        }
    }

    @Test("what others and lists depend on counts, what all link is one row, typing errors show")
    func twin() {
        let manifest = """
            let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
            let httpTypes = Target.Dependency.product(
                name: "HTTPTypes", package: "swift-http-types")
            let outside: [Target.Dependency] = [
                "Outbound", "Outbond",
            ]
            func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
                .target(name: name, dependencies: dependencies)
            }
                    .target(name: "CMessages", linkerSettings: [.linkedLibrary("protobuf-c")]),
                    .target(name: "CText", exclude: ["Generated"]),
                    library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
                    module("Messages", ["CMessages"]),
                    module(
                        "Outbound",
                        [
                            "CCurl", "CText", nioCore,
                            httpTypes,
                        ],
                        pages: ["README.md"]),
                    program("b", outside + ["Messages"]),
                    program(
                        "a", ["Messages", nioCore, "Mesages"]),
            """
        let links = ProgramLinks(manifest: manifest)
        #expect(links.unknown == ["Mesages", "Outbond"])
        #expect(
            links.table == [
                ProgramLinks.header, "|---|---|---|---|",
                "| each | Messages | swift-nio | protobuf-c |", "| `a` |  |  |  |",
                "| `b` | Outbound | swift-http-types | libcurl |",
            ])
    }

    @Test("a page's table ends with its last row; a page without it has none")
    func page() {
        let page = "# A\n\n\(ProgramLinks.header)\n|---|---|---|---|\n| a |\n\n| b |\n"
        #expect(
            ProgramLinks.table(in: page) == [ProgramLinks.header, "|---|---|---|---|", "| a |"])
        #expect(ProgramLinks.table(in: "| a |\n").isEmpty)
    }
}
