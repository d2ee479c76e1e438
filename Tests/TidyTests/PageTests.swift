import Testing

@Suite("Pages and their links")
struct PageTests {
    private static let firstPage = "README.md"
    private static let appFolder = "Protos/postern/gateway/"
    private static let operatorFolder = "docker/"

    /// What a reader looks for who knows nothing of Postern: words of the link that leads there
    /// from the first page, or from a page that the first one links to.
    private static let tasks: [(words: String, page: String)] = [
        ("first call", "\(appFolder)set-up.md"),
        ("sign-up", "\(appFolder)sign-up.md"),
        ("verification", "\(appFolder)verify-email.md"),
        ("apple", "\(appFolder)apple.md"),
        ("second proof", "\(appFolder)second-proof.md"),
        ("second factors", "\(appFolder)second-factors.md"),
        ("guests that become accounts", "\(appFolder)guests.md"),
        ("refresh in two tabs", "\(appFolder)browsers.md"),
        ("tls", "\(operatorFolder)tls.md"),
        ("mail provider", "\(operatorFolder)mail.md"),
        ("backup and restore", "\(operatorFolder)backup.md"),
        ("locked-out user", "\(operatorFolder)limits.md"),
        ("upgrade", "\(operatorFolder)upgrade.md"),
    ]

    /// A page about a task is read in one sitting.
    private static let wordsMax = 1_000
    /// Of this page one reads what is newer than one's own version.
    private static let changes = "\(operatorFolder)CHANGES.md"

    @Test("each link leads to a file of the checkout, and to a heading of it")
    func links() throws {
        let checkout = try Checkout.here.get()
        let pages = checkout.paths.filter { $0.hasSuffix(".md") }
        let texts = Dictionary(
            uniqueKeysWithValues: try pages.map { ($0, try checkout.text(of: $0)) })
        let links = texts.flatMap { PageLink.all(in: $0.value, of: $0.key) }
        #expect(links.count > 200)
        expectNone(Self.broken(links, texts: texts, paths: checkout.paths))
    }

    @Test("a link to a missing file or heading is found; in code there are no links")
    func twin() {
        let text = """
            # The first, `a` & b

            [here](#the-first-a--b), [a
            file](../a/b.sh), [folder](../a/), [site](https://a.example/b#c)

            ```
            [code](nowhere.sh)
            ```
            [no file](nowhere.sh), [no heading](#nowhere), [`C`](CHANGES.md#d)
            """
        let page = "docker/README.md"
        let other = "docker/CHANGES.md"
        let links = PageLink.all(in: text, of: page)
        #expect(links.map(\.words).prefix(3) == ["here", "a file", "folder"])
        let found = Self.broken(
            links, texts: [page: text, other: "## D"], paths: [page, other, "a/b.sh"])
        #expect(found.map(\.line) == [9, 9])
        #expect(
            found.map(\.complaint) == ["there is no docker/nowhere.sh", "\(page) has no #nowhere"])
    }

    @Test("a new reader finds each task from the first page in two clicks, by words of the links")
    func twoClicks() throws {
        let checkout = try Checkout.here.get()
        let first = PageLink.all(in: try checkout.text(of: Self.firstPage), of: Self.firstPage)
        let next = Set(first.map(\.path)).filter { checkout.paths.contains($0) }
            .filter { $0.hasSuffix(".md") }
        let second = try next.flatMap { PageLink.all(in: try checkout.text(of: $0), of: $0) }
        for task in Self.tasks {
            let isFound = (first + second).contains {
                $0.path == task.page && $0.words.contains(task.words)
            }
            #expect(isFound, "\(task.words): no link to \(task.page)")
        }
    }

    @Test("each page for apps and for operators is in its list, and has 1,000 words at most")
    func taskPages() throws {
        let checkout = try Checkout.here.get()
        for folder in [Self.appFolder, Self.operatorFolder] {
            let index = folder + "README.md"
            let listed = PageLink.all(in: try checkout.text(of: index), of: index).map(\.path)
            let pages = checkout.written(below: folder, suffix: ".md")
            #expect(pages.count > 10, "\(folder)")
            for page in pages {
                #expect(page == index || listed.contains(page), "\(page)")
                let words = try checkout.text(of: page).split(whereSeparator: \.isWhitespace)
                #expect(page == Self.changes || words.count <= Self.wordsMax, "\(page)")
            }
        }
    }

    private static func broken(
        _ links: [PageLink], texts: [String: String], paths: [String]
    ) -> [Finding] {
        let anchors = texts.mapValues(PageLink.anchors)
        var known = Set(paths)
        for path in paths {
            let folders = path.split(separator: "/").dropLast()
            for count in 0...folders.count {
                known.insert(folders.prefix(count).joined(separator: "/"))
            }
        }
        return links.compactMap { link in
            let complaint: String
            if !known.contains(link.path) {
                complaint = "there is no \(link.path)"
            } else if let anchor = link.anchor, anchors[link.path]?.contains(anchor) != true {
                complaint = "\(link.path) has no #\(anchor)"
            } else {
                return nil
            }
            return Finding(path: link.page, line: link.line, complaint: complaint)
        }
    }
}
