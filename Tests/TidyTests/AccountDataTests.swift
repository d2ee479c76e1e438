import TestSupport
import Testing

@Suite("One page says what is stored about a person, and what becomes of it")
struct AccountDataTests {
    @Test("G-20, G-21: each table of each service has a row on the page, and each row has a table")
    func tables() throws {
        let checkout = try Checkout.here.get()
        let page = try AccountDataPage(checkout)
        let schemas = try AccountDataPage.services.mapValues { folder in
            Set(
                try checkout.text(of: "\(folder)/schema.sql").matches(of: /CREATE TABLE (\w+)/)
                    .map { String($0.1) })
        }
        #expect(schemas.values.allSatisfy { !$0.isEmpty })
        expectNone(page.findings(schemas: schemas, files: try page.dataFiles(in: checkout)))
    }

    @Test("G-21: the files that the page names are those that the code sends")
    func exported() throws {
        let checkout = try Checkout.here.get()
        let page = try AccountDataPage(checkout)
        for (service, folder) in AccountDataPage.accountData {
            let path = "\(folder)/CollectAccountData.swift"
            let sent = Set(
                try checkout.text(of: path).matches(of: /"([a-z-]+\.json)"/)
                    .map { String($0.1) })
            let history = sent.filter { $0.hasSuffix("-history.json") }
            #expect(!sent.isEmpty)
            #expect(sent.subtracting(history) == page.exports(of: service), "\(service)")
        }
    }

    @Test("G-21: the archive's page has words for each file, in each language")
    func words() throws {
        let checkout = try Checkout.here.get()
        let files = try AccountDataPage.accountData.values.flatMap { folder in
            try checkout.text(of: "\(folder)/CollectAccountData.swift")
                .matches(of: /"([a-z-]+\.json)"/).map { String($0.1) }
        }
        #expect(files.count > 10)
        for language in ["en", "de", "es", "fr", "ja"] {
            let texts = try checkout.text(of: "Sources/Texts/export/index.\(language).txt")
            for file in files {
                #expect(texts.contains("\nfile/\(file): "), "\(file) in \(language)")
            }
        }
    }

    @Test("G-20: identity deletes each table that refers to accounts, and the page says so")
    func deleted() throws {
        let checkout = try Checkout.here.get()
        let page = try AccountDataPage(checkout)
        let folder = try #require(AccountDataPage.accountData["identity"])
        let code = try checkout.text(of: "\(folder)/ForgetAccountData.swift")
        let inCode = Set(
            code.matches(of: /DELETE FROM (\w+) WHERE account = \?/).map { String($0.1) })
        let onPage = Set(
            page.rows.filter {
                $0.service == "identity" && $0.deletion.hasPrefix("deleted")
                    && !$0.name.contains("/")
            }
            .map(\.name))
        #expect(inCode == onPage)
        let schema = try checkout.text(of: "Sources/IdentityService/schema.sql")
        let referring = schema.split(separator: "CREATE TABLE ")
            .filter { $0.contains("REFERENCES accounts") }
            .map { String($0.prefix { $0 != " " }) }
        #expect(Set(referring).isSubset(of: inCode))
    }

    @Test("a table without a row, a row without a table, and an empty cell are found")
    func faults() {
        let page = AccountDataPage(
            text: """
                | service | table or file | what of a person is in it | export | deletion |
                |---|---|---|---|---|
                | every | `audit` | a | no: b | c |
                | identity | `known` | a | `known.json` | deleted |
                | identity | `gone` | a | no: b | deleted |
                | identity | `vague` | a | perhaps |  |
                | session | `session.sqlite` | a | no: b | c |
                """)
        let found = page.findings(
            schemas: ["identity": ["known", "audit", "new", "vague"], "session": ["audit"]],
            files: ["session": ["session.sqlite"], "identity": ["identity.sqlite"]])
        #expect(
            Set(found.map(\.complaint)) == [
                "identity: gone is no table", "identity: vague has an empty or vague cell",
                "identity: new has no row", "identity: identity.sqlite has no row",
            ])
    }
}
