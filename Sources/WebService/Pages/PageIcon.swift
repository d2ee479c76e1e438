/// An icon of a page: lines on a grid of 24, in the colour of the text. It says nothing that the
/// text beside it does not say, so screen readers leave it out.
enum PageIcon {
    case alert
    case check
    case clock
    case key
    case person
    /// A broken chain.
    case unlink

    /// The icon in a page.
    var markup: HTML {
        #"<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">\#(shapes)</svg>"#
    }

    private var shapes: HTML {
        switch self {
        case .alert:
            #"<circle cx="12" cy="12" r="9"></circle><path d="M12 7.5v5.5M12 16.4v.1"></path>"#
        case .check: #"<path d="M5 12.5l4.5 4.5L19 7.5"></path>"#
        case .clock: #"<circle cx="12" cy="12" r="9"></circle><path d="M12 7v5.5l3.5 2"></path>"#
        case .key:
            #"<circle cx="8" cy="15.5" r="4.5"></circle><path d="M11.2 12.3L20 3.5M16.5 7l3 3"></path>"#
        case .person:
            """
            <circle cx="12" cy="8" r="4"></circle>\
            <path d="M4.5 20.5c0-4 3.4-6 7.5-6s7.5 2 7.5 6"></path>
            """
        case .unlink:
            """
            <path d="M9.5 14.5l5-5M11.5 6.5l2-2a4.2 4.2 0 0 1 6 6l-2 2M12.5 17.5l-2 2a4.2 4.2 0 0 1\
            -6-6l2-2M3.5 7H6M7 3.5V6M20.5 17H18M17 20.5V18"></path>
            """
        }
    }
}
