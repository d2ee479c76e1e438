import Contracts
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("N-05: The template preview")
struct TemplatePreviewTests {
    private let preview: TemplatePreview

    init() throws {
        preview = TemplatePreview(.embedded, product: try #require(HeaderText("Tea & Cake")))
    }

    @Test("N-05: a mail is shown in phone and desktop width, in light and dark, and as text")
    func mail() throws {
        let page = try #require(try preview.page("verify-email", in: .german))
        #expect(page.ranges(of: "<iframe sandbox=\"allow-same-origin\" width=\"375\"").count == 2)
        #expect(page.ranges(of: "<iframe sandbox=\"allow-same-origin\" width=\"800\"").count == 2)
        #expect(page.ranges(of: "@media all").count == 2)
        #expect(page.ranges(of: "@media not all").count == 2)
        #expect(!page.contains("prefers-color-scheme: dark"))
        #expect(page.contains("<pre>Willkommen bei"))
        #expect(page.contains("Tea &amp; Cake") && !page.contains("Tea & Cake"))
    }

    @Test("N-05: all templates are shown in every language; an unknown name gives no page")
    func all() throws {
        for language in Language.allCases {
            let page = try #require(try preview.page("all", in: language))
            #expect(page.ranges(of: "<section>").count == TemplateListing.rows.count)
        }
        #expect(try preview.page("nothing", in: .english) == nil)
        let both = try #require(try preview.page("email-changed", in: .english))
        #expect(both.ranges(of: "<section>").count == 2)
    }

    @Test("N-05: with gaps a message is shown with each choice of values that are not known")
    func gaps() throws {
        let page = try #require(try preview.page("welcome", in: .english, withGaps: true))
        #expect(page.ranges(of: "<section>").count == 8)
        #expect(page.contains("<h2>mail welcome ·"))
        #expect(page.contains("<h2>mail welcome without name, device, place ·"))
    }
}
