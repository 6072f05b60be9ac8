//! A request whose parts are templates.

use serde_json::Value;

use super::client::{Prepared, server};
use super::template::{JsonTemplate, Name, Template, Values};

/// What a request sends.
#[derive(Clone, Debug)]
pub enum Body {
    /// JSON.
    Json(JsonTemplate),
    /// Anything else.
    Text(Template),
}

/// A request before it is filled in.
#[derive(Clone, Debug)]
pub struct RequestTemplate {
    /// In capitals.
    pub method: String,
    /// Where to; a URL once it is filled in.
    pub url: Template,
    /// In the order written.
    pub headers: Vec<(String, Template)>,
    /// None for most GET requests.
    pub body: Option<Body>,
}

impl RequestTemplate {
    /// Every name that it uses.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let body: Vec<&Name> = match &self.body {
            Some(Body::Json(template)) => template.names(),
            Some(Body::Text(template)) => template.names().collect(),
            None => Vec::new(),
        };
        self.url.names().chain(self.headers.iter().flat_map(|(_, value)| value.names())).chain(body)
    }

    /// What it is, in one line without secrets: nothing is filled in, and a password or a query string is left out.
    pub(super) fn description(&self) -> String {
        let url = self.url.source().split(['?', '#']).next().unwrap_or_default();
        let url = match url.split_once("://") {
            Some((scheme, rest)) => {
                let (host, path) = rest.split_once('/').map_or((rest, String::new()), |(h, p)| (h, format!("/{p}")));
                format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
            }
            None => url.to_owned(),
        };
        format!("{} {url}", self.method)
    }

    /// Fills it in.
    ///
    /// # Errors
    /// Where the URL is none, or a header has a line end in it.
    pub(super) fn prepare(&self, values: Values<'_>) -> Result<Prepared, String> {
        let url = self.url.render(values);
        let is_url = url.parse::<ureq::http::Uri>().is_ok_and(|uri| uri.scheme().is_some() && uri.host().is_some());
        if !is_url {
            return Err(format!("`{url}` is no URL\nhint: it begins with http:// or https:// and has no spaces"));
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, template) in &self.headers {
            let value = template.render(values).trim().to_owned();
            if value.chars().any(char::is_control) {
                return Err(format!("the header `{name}` has a control character in it\nhint: a token is one line"));
            }
            headers.push((name.clone(), value));
        }
        let body = self.body.as_ref().map(|body| match body {
            Body::Json(template) => template.render(values).to_string(),
            Body::Text(template) => template.render(values),
        });
        if let Some(body) = &body
            && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        {
            let is_json = serde_json::from_str::<Value>(body).is_ok();
            let kind = if is_json { "application/json" } else { "application/x-www-form-urlencoded" };
            headers.push(("Content-Type".to_owned(), kind.to_owned()));
        }
        Ok(Prepared { method: self.method.clone(), url, headers, body })
    }
}

/// For messages: which server, without anything secret.
pub(super) fn whose(request: &Prepared) -> String {
    server(&request.url)
}
