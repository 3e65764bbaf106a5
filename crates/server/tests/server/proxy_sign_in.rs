//! Sign-in by a header of a proxy, with a real nginx in front that has checked a password.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tungstenite::client::IntoClientRequest;

use crate::host_tokens::refusals;
use crate::support::{Server, TIMEOUT, binary, free_port};

/// The address from which nginx connects. Requests of the tests come from 127.0.0.1, which is not
/// named as a proxy.
const PROXY: &str = "127.0.0.2";

pub struct Nginx {
    process: Child,
    pub url: String,
    _folder: tempfile::TempDir,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Fails when the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where a proxy is installed.
pub fn proxy_program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian installs some where only root looks.
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let mut files = folders.map(|folder| folder.join(name));
    let found = files.find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("{name} is not installed; `make test` installs it on Debian"))
}

const GUIDE: &str = include_str!("../../../../docs/operations-guide.md");

/// What the guide says of the person, and the groups, which are not in the guide.
const SIGNED_IN: &str =
    "proxy_set_header Remote-User $remote_user;\n    proxy_set_header Remote-Groups $groups;";

/// The configuration of nginx in the operator's guide that contains `text`, with other values where
/// those of the guide do not exist here.
fn recipe(text: &str, replacements: &[(&str, &str)]) -> String {
    recipe_of(GUIDE, "nginx", text, replacements)
}

/// The same for another program.
pub fn guide_recipe(language: &str, text: &str, replacements: &[(&str, &str)]) -> String {
    recipe_of(GUIDE, language, text, replacements)
}

/// As [`recipe`], of another page and program.
pub fn recipe_of(page: &str, language: &str, text: &str, replacements: &[(&str, &str)]) -> String {
    let fence = format!("```{language}\n");
    let blocks = page.split(&*fence).skip(1).filter_map(|rest| rest.split_once("```"));
    let mut recipes = blocks.map(|(block, _)| block).filter(|block| block.contains(text));
    let mut recipe = recipes.next().expect("the guide has the recipe").to_owned();
    for (documented, here) in replacements {
        assert_eq!(recipe.matches(documented).count(), 1, "{documented} in\n{recipe}");
        recipe = recipe.replace(documented, here);
    }
    recipe
}

/// The locations `/open/`, `/unset/` and `/twice/`, which the guide does not have.
fn other_locations(upstream: SocketAddr) -> String {
    format!(
        "location /open/ {{
           auth_basic off;
           proxy_set_header Remote-User \"\";
           proxy_set_header Remote-Groups \"\";
           proxy_set_header Host $http_host;
           proxy_pass http://{upstream}/;
         }}
         location /unset/ {{
           auth_basic off;
           proxy_set_header Host $http_host;
           proxy_pass http://{upstream}/;
         }}
         location /twice/ {{
           auth_basic off;
           proxy_set_header Remote-User \"$http_remote_user, ada@example.org\";
           proxy_set_header Host $http_host;
           proxy_pass http://{upstream}/;
         }}"
    )
}

impl Nginx {
    /// Starts nginx in front of a server: at `/` it does what the operator's guide says, that is, asks
    /// for a password and says who that is. At `/open/` it does not ask and says that it is nobody,
    /// at `/unset/` it passes the header on as it came, and at `/twice/` it adds its own to the one of
    /// the client.
    fn start(server: &Server) -> Nginx {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path().display().to_string();
        std::fs::write(folder.path().join("users"), "ada@example.org:{PLAIN}pw\nroot:{PLAIN}pw\n")
            .expect("writable");
        let port = free_port();
        let upstream = server.address;
        let recipe = recipe(
            "auth_basic_user_file",
            &[
                ("10.0.0.6:8000", &upstream.to_string()),
                ("listen 443 ssl;", &format!("listen 127.0.0.1:{port};\n  proxy_bind {PROXY};")),
                ("/etc/nginx/sheets-users", &format!("{root}/users")),
                ("proxy_set_header Remote-User $remote_user;", SIGNED_IN),
                ("  location / {", &format!("{}\n  location / {{", other_locations(upstream))),
            ],
        );
        let groups = "map $remote_user $groups { root admins; default staff; }";
        Nginx::run(folder, port, &format!("{groups}\n{recipe}"))
    }

    /// Starts nginx in front of several servers, as the operator's guide says, whose addresses are replaced.
    pub fn balance(servers: &[(&str, &str)]) -> Nginx {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let port = free_port();
        let listen = format!("listen 127.0.0.1:{port};");
        let http = recipe("hash $quadrille_chosen", &[&[("listen 443 ssl;", &*listen)], servers].concat());
        Nginx::run(folder, port, &http)
    }

    /// Starts nginx with the contents of its block `http`, which listens on the port.
    pub fn run(folder: tempfile::TempDir, port: u16, http: &str) -> Nginx {
        let root = folder.path().display().to_string();
        let config = format!(
            "pid {root}/pid; error_log {root}/error.log; events {{}}
             http {{
               access_log off;
               client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;
               uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi;
               {http}
             }}"
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, config).expect("writable");
        let log = folder.path().join("error.log");
        let process = Command::new(proxy_program("nginx"))
            .args(["-p", &root, "-e", log.to_str().expect("UTF-8"), "-c", file.to_str().expect("UTF-8")])
            .args(["-g", "daemon off; master_process off;"])
            .stdin(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < TIMEOUT,
                "nginx: {}",
                std::fs::read_to_string(&log).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        Nginx { process, url: format!("http://127.0.0.1:{port}"), _folder: folder }
    }

    /// Sends a request as a browser with a name and a password, which `Basic` carries.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, Json) {
        send_to(&format!("{}{path}", self.url), method, headers)
    }

    /// The name of the account of a request.
    fn account(&self, path: &str, headers: &[(&str, &str)]) -> Json {
        let (status, session) = self.send("GET", &format!("{path}api/v1/session"), headers);
        assert_eq!(status, 200, "{session}");
        session["account"].clone()
    }
}

pub fn send_to(url: &str, method: &str, headers: &[(&str, &str)]) -> (u16, Json) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .build()
        .into();
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = agent.run(request.body(Vec::new()).expect("a request")).expect("an answer");
    let body = response.body_mut().read_to_vec().expect("readable");
    (response.status().as_u16(), serde_json::from_slice(&body).unwrap_or_default())
}

/// `ada@example.org:pw` and `root:pw` for the scheme `Basic`.
const ADA: (&str, &str) = ("authorization", "Basic YWRhQGV4YW1wbGUub3JnOnB3");
const ROOT: (&str, &str) = ("authorization", "Basic cm9vdDpwdw==");

fn start(data: &Path, proxies: &str, more: &[&str]) -> Server {
    let settings = [
        "--sign-in-header",
        "Remote-User",
        "--sign-in-header-groups",
        "Remote-Groups",
        "--sign-in-admin-groups",
        "admins",
        "--sign-in-proxies",
        proxies,
    ];
    Server::start_on(data, &[&settings, more].concat())
}

#[test]
fn a_proxy_signs_people_in() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = start(data.path(), PROXY, &["--access", "accounts"]);
    let nginx = Nginx::start(&server);
    assert_eq!(nginx.send("GET", "/api/v1/session", &[]).0, 401, "nginx asks for a password");
    let ada = nginx.account("/", &[ADA]);
    assert_eq!(
        (&ada["name"], &ada["email"], &ada["isEmailVerified"], &ada["isAdmin"]),
        (&"ada".into(), &"ada@example.org".into(), &true.into(), &false.into())
    );
    assert_eq!(nginx.account("/", &[ADA])["id"], ada["id"], "the same person, the same account");
    let root = nginx.account("/", &[ROOT]);
    assert_eq!((&root["name"], &root["isAdmin"]), (&"root".into(), &true.into()));
    // She owns what she creates; others do not see it.
    let (status, made) = nginx.send("POST", "/api/v1/rooms", &[ADA]);
    assert_eq!(status, 201, "{made}");
    let (status, session) = nginx.send("GET", "/api/v1/session", &[ADA]);
    assert_eq!((status, &session["signIn"]["header"]), (200, &true.into()));
}

/// The first configuration of the guide, without its TLS.
#[test]
fn a_proxy_passes_host_origin_address_and_web_sockets() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start_on(data.path(), &["--public-url", "https://sheets.example.org"]);
    let certificate = "/etc/letsencrypt/live/sheets.example.org";
    let port = free_port();
    let recipe = recipe(
        "client_max_body_size",
        &[
            ("listen 443 ssl;", &format!("listen 127.0.0.1:{port};")),
            (&format!("ssl_certificate     {certificate}/fullchain.pem;"), ""),
            (&format!("ssl_certificate_key {certificate}/privkey.pem;"), ""),
            ("127.0.0.1:8000", &server.address.to_string()),
        ],
    );
    let nginx = Nginx::run(tempfile::tempdir().expect("a temporary directory"), port, &recipe);
    let (host, origin) = (("host", "sheets.example.org"), ("origin", "https://sheets.example.org"));
    let (status, made) = nginx.send("POST", "/api/v1/rooms", &[host, origin]);
    assert_eq!(status, 201, "{made}");
    // Neither other hosts nor other sites get through.
    let other_site = ("origin", "https://evil.example");
    assert_eq!(nginx.send("GET", "/api/v1/session", &[("host", "evil.example")]).0, 421);
    assert_eq!(nginx.send("POST", "/api/v1/rooms", &[host, other_site]).0, 403);

    let open = |origin: &str| {
        let url = format!("ws://127.0.0.1:{port}/api/v1/rooms/plan/socket");
        let mut request = url.into_client_request().expect("a URL");
        for (name, value) in [host, ("origin", origin)] {
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        tungstenite::connect(request).map(|(_, response)| response.status().as_u16())
    };
    assert_eq!(open(origin.1).expect("an upgrade"), 101);
    assert!(open(other_site.1).is_err());

    // A forged address does not arrive: what the client says is replaced.
    let forged = ("x-forwarded-for", "203.0.113.9");
    let wrong_token = ("authorization", "Bearer nonsense");
    assert_eq!(nginx.send("GET", "/api/v1/rooms/plan", &[host, forged, wrong_token]).0, 401);
    server.signal("TERM");
    assert!(server.wait().success());
    let audit = binary().args(["admin", "audit", "--data"]).arg(data.path()).output().expect("starts");
    let audit = String::from_utf8(audit.stdout).expect("UTF-8");
    assert!(audit.contains("token_refused") && !audit.contains(forged.1), "{audit}");
}

#[test]
fn a_header_of_the_client_does_not_sign_in() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let mut server = start(data.path(), PROXY, &[]);
    let nginx = Nginx::start(&server);
    let forged = ("remote-user", "root");
    // Through the proxy, which replaces it.
    assert_eq!(nginx.account("/", &[ADA, forged])["name"], "ada");
    assert_eq!(nginx.account("/", &[ADA, forged, ("remote-groups", "admins")])["isAdmin"], false);
    assert_eq!(nginx.account("/open/", &[forged]), Json::Null);
    // Directly, even from this machine: only the named proxy may send it.
    let direct = send_to(&server.url("/api/v1/session"), "GET", &[forged]);
    assert_eq!((direct.0, &direct.1["account"]), (200, &Json::Null));
    // A proxy that passes on what the client sends is a mistake of its operator. Two headers show it.
    for headers in
        [&[forged, ("remote-user", "ada@example.org")][..], &[("remote-user", "root, ada@example.org")]]
    {
        let (status, refused) = nginx.send("GET", "/unset/api/v1/session", headers);
        assert_eq!((status, &refused["error"]["code"]), (401, &"bad_credentials".into()), "{headers:?}");
    }
    let (status, refused) = nginx.send("GET", "/twice/api/v1/session", &[forged]);
    assert_eq!((status, &refused["error"]["code"]), (401, &"bad_credentials".into()));
    server.kill();
    let found = refusals(data.path());
    assert_eq!(
        found,
        [
            "the header remote-user of the proxy occurs more than once",
            "the header remote-user of the proxy has several values",
            "the header remote-user of the proxy has several values",
        ]
    );
}

#[test]
fn a_page_of_another_site_does_not_act_for_whoever_the_proxy_has_signed_in() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = start(data.path(), PROXY, &["--origins", "https://other.example.org"]);
    let nginx = Nginx::start(&server);
    // The browser adds the password of the proxy to each request, whatever page sends it.
    let origin = ("origin", "https://other.example.org");
    assert_eq!(nginx.account("/", &[ADA, origin]), Json::Null);
    assert_eq!(
        nginx.account("/", &[ADA, ("sec-fetch-site", "cross-site")])["name"],
        "ada",
        "a read by a link"
    );
    let rename = nginx.send("PATCH", "/api/v1/account", &[ADA, ("sec-fetch-site", "cross-site")]);
    assert_eq!((rename.0, &rename.1["error"]["code"]), (401, &"sign_in_required".into()));
}

#[test]
fn this_machine_signs_people_in_only_if_it_is_named() {
    let data = tempfile::tempdir().expect("a temporary directory");
    for (proxies, expected) in [("10.0.0.1", Json::Null), ("127.0.0.1", "ada".into())] {
        let server = start(&data.path().join(proxies), proxies, &[]);
        let headers = [("remote-user", "ada@example.org")];
        let (_, session) = send_to(&server.url("/api/v1/session"), "GET", &headers);
        assert_eq!(session["account"]["name"], expected, "{proxies}");
    }
}

#[test]
fn a_header_without_proxies_prevents_the_start() {
    let data = tempfile::tempdir().expect("a temporary directory");
    for (arguments, message) in [
        (&["--sign-in-header", "Remote-User"][..], "sign_in_header needs sign_in_proxies"),
        (&["--sign-in-header", "Remote-User", "--sign-in-proxies", "proxy"], "not an IP address"),
        (&["--sign-in-proxies", "10.0.0.1"], "need sign_in_header"),
    ] {
        let output = binary()
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path())
            .args(arguments)
            .stdout(Stdio::null())
            .output()
            .expect("starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(message), "{error}");
    }
}
